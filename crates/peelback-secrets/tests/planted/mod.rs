//! Planted secrets and look-alikes, made by rule: a form says how a file of its kind writes a value, a generator makes the
//! value when the program runs. No value stands in this file.

mod common_forms;
mod further_forms;

/// One planted value in the text of a file.
pub struct Case {
    /// The form: how the value is written.
    pub form: &'static str,
    /// The name of a file of this kind.
    #[allow(dead_code, reason = "not every program that includes this module writes files")]
    pub path: String,
    /// The text of the file.
    pub text: String,
    /// The value, or its parts where it is split.
    pub parts: Vec<String>,
}

impl Case {
    /// Whether a text shows the value, or a half of one that is long.
    pub fn is_shown_in(&self, text: &str) -> bool {
        // The search of the standard library is slow where it is not optimised.
        let holds = |part: &str| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some();
        self.parts.iter().any(|part| {
            let middle = part.len() / 2;
            if part.len() < 16 || !part.is_char_boundary(middle) {
                return holds(part);
            }
            let (first, last) = part.split_at(middle);
            holds(first) || holds(last)
        })
    }
}

/// A generator of numbers that is the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap_or(0) % most
    }

    pub fn text(&mut self, length: usize, alphabet: &str) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

pub const ANY: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub const URL64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
pub const HEX: &str = "0123456789abcdef";
pub const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Signs that stand in passwords of generators, without those that end a value in many formats.
const SIGNS: &str = "!#$%()*+,-./:=?@[]^_{|}~";
/// Signs that end a value where it is not quoted, or that begin a comment or a tag.
const QUOTES: &str = "'`<>&;";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS: &str = "0123456789";

fn password(random: &mut Random) -> String {
    let signs = random.pick(&["!", "#", "%", "*", "+", "_", "=", "^", "~"]).to_owned();
    match random.below(4) {
        3 => format!("{}{}{}", random.text(2, ANY), random.text(13, &format!("{ANY}{SIGNS}")), random.text(1, ANY)),
        0 => format!("{}{signs}{}", random.text(7, ANY), random.text(6, ANY)),
        1 => format!("{}{}", random.text(10, LOWER), random.text(4, ANY)),
        _ => format!("{}{}{signs}", random.pick(&["Orchid", "Walnut", "Kestrel", "Quarry"]), random.text(5, ANY)),
    }
}

/// A password of a generator that takes all signs of ASCII.
fn all_signs16(random: &mut Random) -> String {
    random.text(1, ANY) + &random.text(14, &format!("{ANY}{SIGNS}{QUOTES}\"\\")) + &random.text(1, ANY)
}
fn all_signs24(random: &mut Random) -> String {
    random.text(24, &format!("{ANY}{SIGNS}{QUOTES}"))
}
fn django50(random: &mut Random) -> String {
    random.text(50, "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)")
}
fn letters16(random: &mut Random) -> String {
    random.text(16, "abcdefghijklmnopqrstuvwxyz")
}
fn hex32(random: &mut Random) -> String {
    random.text(32, HEX)
}
fn hex40(random: &mut Random) -> String {
    random.text(40, HEX)
}
fn hex64(random: &mut Random) -> String {
    random.text(64, HEX)
}
fn any24(random: &mut Random) -> String {
    random.text(24, ANY)
}
fn any32(random: &mut Random) -> String {
    random.text(32, ANY)
}
fn any40(random: &mut Random) -> String {
    random.text(40, ANY)
}
fn url43(random: &mut Random) -> String {
    random.text(43, URL64)
}
fn base44(random: &mut Random) -> String {
    random.text(43, BASE64) + "="
}
fn base88(random: &mut Random) -> String {
    random.text(86, BASE64) + "=="
}
fn jwt(random: &mut Random) -> String {
    format!("eyJ{}.eyJ{}.{}", random.text(33, ANY), random.text(60, ANY), random.text(43, URL64))
}

/// Base64 of a text.
pub fn encode(text: &str) -> String {
    let letters: Vec<char> = BASE64.chars().collect();
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let index = usize::try_from(bits >> (18 - 6 * at) & 63).unwrap_or(0);
            out.push(if at > three.len() { '=' } else { letters[index] });
        }
    }
    out
}

fn encoded_password(random: &mut Random) -> String {
    encode(&password(random))
}
fn basic(random: &mut Random) -> String {
    encode(&format!("deploy:{}", password(random)))
}
fn json_key(random: &mut Random) -> String {
    encode(&format!("-----BEGIN RSA {} KEY-----\n{}\n", "PRIVATE", random.text(600, BASE64)))
}

type Make = fn(&mut Random) -> String;

/// A name, a path, a text in which `@@` stands for the value, and its maker.
type Form = (&'static str, &'static str, &'static str, Make);

/// The vendors' tokens: a name, and how one is made.
fn vendor_tokens() -> Vec<(&'static str, Make)> {
    vec![
        ("aws id", |r| format!("AKIA{}", r.text(16, CAPITALS))),
        ("github", |r| format!("ghp_{}", r.text(36, ANY))),
        ("github app", |r| format!("ghs_{}", r.text(36, ANY))),
        ("github fine", |r| format!("github_pat_{}_{}", r.text(22, ANY), r.text(59, ANY))),
        ("gitlab", |r| format!("glpat-{}", r.text(20, ANY))),
        ("slack bot", |r| format!("xoxb-{}-{}-{}", r.text(12, DIGITS), r.text(12, DIGITS), r.text(24, ANY))),
        ("stripe", |r| format!("sk_live_{}", r.text(24, ANY))),
        ("anthropic", |r| format!("sk-ant-api03-{}AA", r.text(93, URL64))),
        ("openai project", |r| format!("sk-proj-{}", r.text(64, ANY))),
        ("google", |r| format!("AIza{}", r.text(35, ANY))),
        ("npm", |r| format!("npm_{}", r.text(36, ANY))),
        ("pypi", |r| format!("pypi-AgEIcHlwaS5vcmc{}", r.text(80, URL64))),
        ("hugging face", |r| format!("hf_{}", r.text(34, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))),
        ("sendgrid", |r| format!("SG.{}.{}", r.text(22, ANY), r.text(43, ANY))),
        ("digital ocean", |r| format!("dop_v1_{}", r.text(64, HEX))),
        ("shopify", |r| format!("shpat_{}", r.text(32, HEX))),
        ("twilio", |r| format!("SK{}", r.text(32, HEX))),
        ("databricks", |r| format!("dapi{}", r.text(32, HEX))),
        ("web token", jwt),
    ]
}

/// The places where a vendor's token stands without a name that tells what it is: a path and a text with `@@`.
const TOKEN_PLACES: &[(&str, &str)] = &[
    (
        "src/client.ts",
        "import { Client } from './client';\n\nexport const client = new Client('@@', { retries: 3 });\n",
    ),
    ("notes.md", "# Operations\n\nThe staging account uses @@, ask Ann before you change it.\n"),
    (
        "deploy.sh",
        "#!/bin/sh\nset -eu\ncurl -fsS -H 'Accept: application/json' \"https://api.shop.io/v1?id=@@&all=1\"\n",
    ),
    ("data.json", "{\n  \"clients\": [\n    { \"id\": 7, \"what\": \"@@\" }\n  ]\n}\n"),
];

/// The forms of named values.
fn forms() -> Vec<Form> {
    vec![
        ("dotenv password", "settings/app.cfg", "APP_NAME=shop\nDB_PASSWORD=@@\nDB_HOST=db.internal\n", password),
        ("dotenv all signs", "settings/app.cfg", "APP_NAME=shop\nDB_PASSWORD=@@\nDB_HOST=db.internal\n", all_signs16),
        ("ini all signs", "my.ini", "[client]\nuser = shop\npassword = @@\n", all_signs16),
        ("yaml all signs", "app.yml", "db:\n  password: \"@@\"\n  user: shop\n", all_signs24),
        ("python all signs", "settings.py", "DB_PASSWORD = \"@@\"\nPORT = 80\n", all_signs24),
        ("django key", "settings.py", "SECRET_KEY = \"@@\"\nDEBUG = True\n", django50),
        ("dotenv letters", "settings/app.cfg", "APP_NAME=shop\nDB_PASSWORD=@@\nDB_HOST=db.internal\n", letters16),
        ("dotenv quoted key", "settings/app.cfg", "APP_NAME=shop\nAPI_KEY=\"@@\"\n", any32),
        ("shell export", "run.sh", "#!/bin/bash\nexport AUTH_TOKEN=@@\nexec ./serve\n", any40),
        ("shell default", "run.sh", "TOKEN=${SERVICE_TOKEN:-@@}\necho start\n", any32),
        ("fish", "config.fish", "set -x SHOP_API_KEY @@\n", any32),
        ("powershell", "run.ps1", "$env:SHOP_TOKEN = \"@@\"\n$ErrorActionPreference = 'Stop'\n", any40),
        ("batch", "run.bat", "@echo off\r\nset SHOP_SECRET=@@\r\ncall serve\r\n", any32),
        ("makefile", "Makefile", "SIGNING_KEY ?= @@\n\nall:\n\tgo build\n", hex64),
        ("docker env", "Dockerfile", "FROM alpine:3\nENV DB_PASSWORD=@@\nCMD [\"serve\"]\n", password),
        ("docker env space", "Dockerfile", "FROM alpine:3\nENV API_TOKEN @@\nCMD [\"serve\"]\n", any32),
        ("docker arg", "Dockerfile", "FROM alpine:3\nARG NPM_TOKEN=@@\nRUN npm ci\n", any40),
        ("docker run", "start.sh", "docker run -d -e REDIS_PASSWORD=@@ -p 80:80 shop:1\n", password),
        (
            "compose map",
            "docker-compose.yml",
            "services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_PASSWORD: @@\n      POSTGRES_USER: shop\n",
            password,
        ),
        (
            "compose list",
            "docker-compose.yml",
            "services:\n  db:\n    environment:\n      - MYSQL_ROOT_PASSWORD=@@\n      - MYSQL_DATABASE=shop\n",
            password,
        ),
        (
            "workflow env",
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    runs-on: ubuntu-latest\n    env:\n      DEPLOY_TOKEN: @@\n    steps:\n      - run: make\n",
            any40,
        ),
        (
            "workflow with",
            ".github/workflows/ci.yml",
            "    steps:\n      - uses: actions/setup@v4\n        with:\n          api-key: '@@'\n",
            any32,
        ),
        (
            "helm values",
            "chart/values.yaml",
            "replicas: 2\npostgresql:\n  auth:\n    password: \"@@\"\n    database: shop\n",
            password,
        ),
        (
            "yaml list pair",
            "deploy.yaml",
            "        env:\n        - name: DB_PASSWORD\n          value: \"@@\"\n        - name: LOG\n          value: debug\n",
            password,
        ),
        ("yaml block", "conf.yaml", "signing:\n  secret_key: |\n    @@\n  algorithm: HS256\n", base44),
        (
            "kubernetes data",
            "k8s/secret.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ntype: Opaque\ndata:\n  pg: @@\n",
            encoded_password,
        ),
        (
            "kubernetes strings",
            "k8s/secret.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\nstringData:\n  smtp: \"@@\"\n",
            password,
        ),
        (
            "kubernetes reversed",
            "k8s/secret.yaml",
            "apiVersion: v1\ndata:\n  pg: @@\nkind: Secret\nmetadata:\n  name: shop\n",
            encoded_password,
        ),
        (
            "kubeconfig token",
            "cluster.yaml",
            "apiVersion: v1\nkind: Config\nusers:\n- name: ann\n  user:\n    token: @@\n",
            any40,
        ),
        ("kubeconfig key", "cluster.yaml", "users:\n- name: ann\n  user:\n    client-key-data: @@\n", json_key),
        (
            "properties",
            "application.properties",
            "server.port=8080\nspring.datasource.password=@@\nspring.datasource.username=shop\n",
            password,
        ),
        ("properties colon", "gradle.properties", "org.gradle.jvmargs=-Xmx2g\nsigning.keyPassword: @@\n", password),
        (
            "ini credentials",
            "conf/credentials.ini",
            "[default]\nregion = eu-west-1\naws_secret_access_key = @@\n",
            |r| r.text(40, BASE64),
        ),
        ("ini password", "my.ini", "[client]\nuser = shop\npassword = @@\n", password),
        ("toml", "config.toml", "[server]\nport = 80\n\n[auth]\njwt_secret = \"@@\"\n", base44),
        ("toml single", "config.toml", "[database]\npassword = '@@'\n", password),
        ("json", "config.json", "{\n  \"port\": 80,\n  \"apiKey\": \"@@\",\n  \"debug\": true\n}\n", hex32),
        (
            "json nested",
            "appsettings.json",
            "{\n  \"Jwt\": { \"SigningKey\": \"@@\", \"Issuer\": \"shop\" }\n}\n",
            base44,
        ),
        (
            "json pair",
            "task.json",
            "{ \"environment\": [ { \"name\": \"SMTP_PASSWORD\", \"value\": \"@@\" } ] }\n",
            password,
        ),
        (
            "json escaped",
            "log.json",
            "{ \"body\": \"{\\\"user\\\": \\\"ann\\\", \\\"password\\\": \\\"@@\\\", \\\"n\\\": 1}\" }\n",
            any24,
        ),
        ("json escaped lines", "log.json", "{ \"script\": \"set -e\\nDB_PASSWORD=@@\\nserve\\n\" }\n", any24),
        (
            "ado connection",
            "appsettings.json",
            "{ \"ConnectionStrings\": { \"Main\": \"Server=db;Database=shop;User Id=sa;Password=@@;Encrypt=true\" } }\n",
            any24,
        ),
        (
            "azure storage",
            "settings.json",
            "{ \"Storage\": \"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=@@;EndpointSuffix=core.windows.net\" }\n",
            base88,
        ),
        (
            "service bus",
            "settings.py",
            "BUS = 'Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=@@'\n",
            base44,
        ),
        (
            "jdbc",
            "application.yml",
            "spring:\n  datasource:\n    url: jdbc:mysql://db.internal:3306/shop?user=shop&password=@@&useSSL=true\n",
            any24,
        ),
        ("url", "settings.py", "DATABASE_URL = \"postgres://shop:@@@db.internal:5432/shop\"\n", any24),
        ("url token", "package.txt", "git+https://@@@github.com/shop/lib.git#v2\n", any40),
        (
            "git remote",
            "git.config.txt",
            "[remote \"origin\"]\n\turl = https://ann:@@@git.shop.io/shop/app.git\n\tfetch = +refs/heads/*\n",
            any32,
        ),
        (
            "git header",
            "git.config.txt",
            "[http \"https://git.shop.io/\"]\n\textraheader = AUTHORIZATION: basic @@\n",
            basic,
        ),
        (
            "go data source",
            "db.go",
            "package db\n\nvar dsn = \"shop:@@@tcp(db.internal:3306)/shop?parseTime=true\"\n",
            any24,
        ),
        (
            "libpq",
            "connect.py",
            "conn = psycopg.connect(\"host=db.internal user=shop password=@@ dbname=shop\")\n",
            any24,
        ),
        ("pgpass", "pg.txt", "db.internal:5432:shop:shop:@@\n", any24),
        ("netrc", "machines.txt", "machine api.shop.io login ann password @@\n", any24),
        (
            "maven",
            "settings.xml",
            "<servers>\n  <server>\n    <id>central</id>\n    <username>ann</username>\n    <password>@@</password>\n  </server>\n</servers>\n",
            password,
        ),
        (
            "xml attribute",
            "web.config",
            "<appSettings>\n  <add key=\"ApiSecret\" value=\"@@\" />\n</appSettings>\n",
            any32,
        ),
        (
            "xml property",
            "beans.xml",
            "<bean id=\"db\">\n  <property name=\"password\" value=\"@@\"/>\n</bean>\n",
            password,
        ),
        (
            "xml property text",
            "core-site.xml",
            "<property>\n  <name>fs.s3a.secret.key</name>\n  <value>@@</value>\n</property>\n",
            any40,
        ),
        ("android", "strings.xml", "<resources>\n  <string name=\"maps_api_key\">@@</string>\n</resources>\n", any40),
        ("plist", "Info.plist", "<dict>\n  <key>ServiceApiKey</key>\n  <string>@@</string>\n</dict>\n", any32),
        ("bearer shell", "call.sh", "curl -H \"Authorization: Bearer @@\" https://api.shop.io/v1/orders\n", any40),
        ("basic python", "call.py", "headers = {\"Authorization\": \"Basic @@\"}\n", basic),
        ("api key header", "call.js", "fetch(url, { headers: { 'X-Api-Key': '@@' } });\n", any32),
        ("header call", "call.go", "req.Header.Set(\"X-Auth-Token\", \"@@\")\n", any40),
        ("http file", "requests.http", "GET https://api.shop.io/v1/orders\nAuthorization: Token @@\n", hex40),
        ("curl user", "call.sh", "curl -u deploy:@@ https://api.shop.io/v1/orders\n", any24),
        ("flag", "run.sh", "./serve --port 80 --password @@ --verbose\n", any24),
        ("flag equals", "run.sh", "./serve --api-token=@@ --verbose\n", any32),
        (
            "python annotated",
            "settings.py",
            "from typing import Final\n\nAPI_KEY: Final[str] = \"@@\"\nPORT: int = 80\n",
            any32,
        ),
        ("python bytes", "settings.py", "SECRET_KEY = b\"@@\"\n", hex64),
        ("python kwarg", "db.py", "db = connect(host=\"db\", user=\"shop\", password=\"@@\")\n", password),
        ("python default", "settings.py", "token = os.environ.get(\"SHOP_TOKEN\", \"@@\")\n", any40),
        ("python map", "settings.py", "CONFIG = {\n    'host': 'db',\n    'client_secret': '@@',\n}\n", url43),
        ("python element", "settings.py", "app.config['SECRET_KEY'] = '@@'\n", any40),
        ("django", "settings.py", "SECRET_KEY = 'django-insecure-@@'\n", |r| {
            r.text(50, "abcdefghijklmnopqrstuvwxyz0123456789!@#%^&*-_=+")
        }),
        ("python wrapped", "settings.py", "password: SecretStr = SecretStr(\"@@\")\n", password),
        ("python long", "settings.py", "PRIVATE_TOKEN = \"\"\"@@\"\"\"\n", any40),
        ("go typed", "main.go", "package main\n\nvar apiToken string = \"@@\"\n", any40),
        ("go const", "main.go", "const clientSecret = \"@@\"\n", url43),
        ("go bytes", "main.go", "var signingKey = []byte(\"@@\")\n", any32),
        ("go struct", "main.go", "cfg := Config{\n\tHost:     \"db\",\n\tPassword: \"@@\",\n}\n", password),
        ("go raw", "main.go", "authToken := `@@`\n", any40),
        ("typescript typed", "app.ts", "const apiKey: string = '@@';\nconst port: number = 80;\n", any32),
        ("typescript field", "app.ts", "class Api {\n  private readonly accessToken: string = \"@@\";\n}\n", any40),
        ("javascript property", "app.js", "module.exports = {\n  host: 'db',\n  secretKey: '@@',\n};\n", any32),
        ("javascript fallback", "app.js", "const secret = process.env.SESSION_SECRET || '@@';\n", any32),
        ("rust typed", "main.rs", "const API_TOKEN: &str = \"@@\";\nfn main() {}\n", any40),
        ("rust raw", "main.rs", "let secret = r#\"@@\"#;\n", any40),
        ("rust call", "main.rs", "let client = Client::builder().api_key(\"@@\").build();\n", any32),
        ("java field", "App.java", "class App {\n    private static final String DB_PASSWORD = \"@@\";\n}\n", password),
        ("java setter", "App.java", "config.setPassword(\"@@\");\nconfig.setUser(\"shop\");\n", password),
        ("java property", "App.java", "props.setProperty(\"db.password\", \"@@\");\n", password),
        ("kotlin", "App.kt", "val apiSecret: String = \"@@\"\n", any32),
        ("swift", "App.swift", "let accessToken: String = \"@@\"\n", any40),
        ("csharp", "App.cs", "private const string ClientSecret = @\"@@\";\n", url43),
        ("c array", "app.c", "static const char password[] = \"@@\";\n", password),
        ("c define", "app.h", "#define WIFI_PASSWORD \"@@\"\n#define PORT 80\n", password),
        ("cpp joined", "app.cpp", "const char* apiKey =\n    \"@@\";\n", any40),
        (
            "php define",
            "wp-config.php",
            "<?php\ndefine( 'DB_PASSWORD', '@@' );\ndefine( 'DB_HOST', 'db' );\n",
            password,
        ),
        ("php salt", "wp-config.php", "<?php\ndefine('SECURE_AUTH_KEY', '@@');\n", |r| {
            r.text(64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#%*+,-.:;=?@^_|~")
        }),
        ("php array", "config.php", "<?php\nreturn ['host' => 'db', 'password' => '@@'];\n", password),
        ("ruby symbol", "app.rb", "config.secret_key_base = '@@'\n", hex64),
        ("ruby hash", "app.rb", "Client.new(:user => \"shop\", :api_token => \"@@\")\n", any40),
        ("lua", "app.lua", "local auth_token = \"@@\"\n", any40),
        ("scala", "App.scala", "val secretKey: String = \"@@\"\n", any40),
        (
            "terraform",
            "main.tf",
            "resource \"db\" \"shop\" {\n  username = \"shop\"\n  password = \"@@\"\n}\n",
            password,
        ),
        (
            "terraform variable",
            "variables.tf",
            "variable \"db_password\" {\n  type    = string\n  default = \"@@\"\n}\n",
            password,
        ),
        ("nginx header", "nginx.conf", "location / {\n  proxy_set_header X-Api-Key \"@@\";\n}\n", any32),
        ("redis", "redis.conf", "port 6379\nrequirepass @@\n", any32),
        ("sql", "init.sql", "CREATE USER shop WITH PASSWORD '@@';\n", password),
        ("sql mysql", "init.sql", "ALTER USER 'shop'@'%' IDENTIFIED WITH x; -- password is '@@'\n", password),
        ("npm auth", "npm.txt", "//registry.shop.io/:_authToken=@@\nalways-auth=true\n", any40),
        ("docker auth", "registry.json", "{ \"auths\": { \"registry.shop.io\": { \"auth\": \"@@\" } } }\n", basic),
        ("webhook", "notify.yml", "slack:\n  url: https://hooks.slack.com/services/T02KQWRTZ/B03GHWJKL/@@\n", any24),
        (
            "commit message",
            "COMMIT.txt",
            "Rotate the key of the shop\n\nThe new api key is @@, the old one is revoked.\n",
            any32,
        ),
        ("comment", "app.py", "# password: @@\nconnect()\n", password),
        ("query", "app.js", "fetch(`https://api.shop.io/v1/orders?access_token=@@&page=2`);\n", any40),
        ("signed url", "app.js", "const url = 'https://shop.blob.core.windows.net/a?sv=2024&sig=@@';\n", |r| {
            r.text(43, ANY) + "%3D"
        }),
        ("markdown", "README.md", "Log in with\n\n- user: `shop`\n- password: `@@`\n", password),
        ("csv of clojure", "app.clj", "{:host \"db\" :password \"@@\"}\n", password),
        (
            "numbered yaml",
            "answer.txt",
            "12: spring:\n13:   datasource:\n14:     password: @@\n15:     username: shop\n",
            password,
        ),
        ("context yaml", "answer.txt", "deploy.yml:12- env:\ndeploy.yml:13: API_TOKEN: @@\ndeploy.yml-14- b\n", any32),
        ("numbered pair", "answer.txt", "7: - name: DB_PASSWORD\n8:   value: @@\n9: - name: X\n", password),
        ("owner", "answer.txt", "31: const apiKey: string = '@@';  [in Api]\n", any32),
        ("diff", "change.diff", "@@ -1,2 +1,2 @@\n-DB_PASSWORD=\n+DB_PASSWORD=VALUE\n context\n", password),
        ("windows", "settings.ini", "[db]\r\nuser=shop\r\npassword=@@\r\nport=1\r\n", password),
    ]
}

fn case(form: &'static str, path: &str, text: &str, value: String) -> Case {
    let text = if text.contains("VALUE") { text.replace("VALUE", &value) } else { replace_mark(text, &value) };
    Case { form, path: replace_mark(path, &value), text, parts: vec![value] }
}

/// The text with the value in place of the first `@@` (that of a URL has a third sign behind it).
fn replace_mark(text: &str, value: &str) -> String {
    text.replacen("@@", value, 1)
}

/// Planted secrets, `per_form` of each form.
pub fn planted(seed: u64, per_form: usize) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    for round in 0..per_form {
        for (name, make) in vendor_tokens() {
            let (path, text) = TOKEN_PLACES[round % TOKEN_PLACES.len()];
            let value = make(&mut random);
            cases.push(case(name, path, text, value));
        }
        for (name, path, text, make) in forms().into_iter().chain(further_forms::forms()).chain(common_forms::forms()) {
            let value = make(&mut random);
            cases.push(case(name, path, text, value));
        }
        // Keys in armour, whole, without their beginning, and in one line.
        let kind = random.pick(&["RSA ", "EC ", "OPENSSH ", ""]).to_owned();
        let lines: Vec<String> = (0..8).map(|_| random.text(64, BASE64)).collect();
        let armour = |body: &str| format!("-----BEGIN {kind}PRIVATE KEY-----{body}-----END {kind}PRIVATE KEY-----");
        let whole = format!("KEY = '''\n{}\n'''\nuse(KEY)\n", armour(&format!("\n{}\n", lines.join("\n"))));
        cases.push(Case { form: "armour", path: "key.py".into(), text: whole, parts: lines.clone() });
        let rest: String = lines.iter().zip(40..).skip(3).map(|(line, number)| format!("{number}: {line}\n")).collect();
        cases.push(Case { form: "armour in part", path: "key.txt".into(), text: rest, parts: lines[3..].to_vec() });
        let line = format!("{{ \"key\": \"{}\" }}\n", armour(&format!("\\n{}\\n", lines.join("\\n"))));
        cases.push(Case { form: "armour in a line", path: "key.json".into(), text: line, parts: lines });
        let (a, b) = (random.text(20, ANY), random.text(20, ANY));
        let text = format!("const apiKey = '{a}' +\n  '{b}';\n");
        cases.push(Case { form: "joined", path: "app.js".into(), text, parts: vec![a, b] });
    }
    cases
}

fn uuid(random: &mut Random) -> String {
    [8, 4, 4, 4, 12].map(|length| random.text(length, HEX)).join("-")
}
fn word_name(random: &mut Random) -> String {
    let words = [
        "orders", "invoice", "customer", "payment", "refresh", "listener", "browser", "factory", "settings", "manager",
    ];
    let n = 2 + random.below(2);
    (0..=n).map(|_| words[random.below(words.len())]).collect::<Vec<_>>().join("_")
}
fn sha512(random: &mut Random) -> String {
    random.text(86, BASE64) + "=="
}

/// The forms of what is no secret.
fn lookalike_forms() -> Vec<Form> {
    vec![
        (
            "npm lock",
            "package-lock.json",
            "    \"node_modules/a\": {\n      \"version\": \"1.2.3\",\n      \"integrity\": \"sha512-@@\",\n",
            sha512,
        ),
        ("cargo lock", "Cargo.lock", "[[package]]\nname = \"token\"\nchecksum = \"@@\"\n", hex64),
        ("go sum", "go.sum", "github.com/shop/auth v1.2.3 h1:@@\n", base44),
        (
            "poetry lock",
            "poetry.lock",
            "files = [\n    {file = \"secrets-1.0.whl\", hash = \"sha256:@@\"},\n]\n",
            hex64,
        ),
        ("yarn lock", "yarn.lock", "  resolved \"https://registry.yarnpkg.com/keys/-/keys-1.0.0.tgz#@@\"\n", hex40),
        ("commit id", "notes.md", "The token parser was fixed in @@.\n", hex40),
        ("commit of action", "ci.yml", "      - uses: actions/checkout@@@\n        # the key of the cache\n", |r| {
            r.text(40, HEX)
        }),
        ("image digest", "deploy.yaml", "    image: registry.shop.io/auth@sha256:@@\n", hex64),
        ("uuid id", "data.json", "{ \"client_id\": \"@@\", \"tenant\": \"shop\" }\n", uuid),
        ("uuid in code", "test.py", "REQUEST_ID = \"@@\"\n", uuid),
        ("uuid token", "test.ts", "const pageToken = '@@';\n", uuid),
        ("asset hash", "index.html", "<script src=\"/assets/main.@@.js\"></script>\n", |r| r.text(20, HEX)),
        ("etag", "test.js", "expect(headers.etag).toBe('\"@@\"');\n", hex32),
        ("public ssh", "keys.pub", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA@@ ann@shop\n", url43),
        ("public key", "auth.py", "PUBLIC_KEY = \"@@\"\n", base44),
        ("certificate", "ca.txt", "-----BEGIN CERTIFICATE-----\nMIIB@@\n-----END CERTIFICATE-----\n", |r| {
            r.text(60, BASE64)
        }),
        ("image", "style.css", "background: url(data:image/png;base64,iVBORw0KGgo@@);\n", |r| r.text(300, BASE64)),
        ("placeholder env", "app.env.md", "API_KEY=your-@@-key\n", word_name),
        ("placeholder angle", "README.md", "export SHOP_TOKEN=<@@>\n", word_name),
        ("placeholder change", "conf.yml", "password: changeme_@@\n", word_name),
        ("placeholder x", "README.md", "Authorization: Bearer xxxxxxxx@@\n", |r| "x".repeat(12 + r.below(9))),
        ("sample id", "docs.md", "aws_access_key_id = AKIA@@EXAMPLE\n", |r| r.text(9, CAPITALS)),
        ("variable", "run.sh", "export DB_PASSWORD=\"${@@}\"\n", word_name),
        ("variable plain", "run.sh", "docker login -u ann -p $TOKEN_@@\n", |r| word_name(r).to_uppercase()),
        ("workflow secret", "ci.yml", "        env:\n          API_TOKEN: ${{ secrets.@@ }}\n", |r| {
            word_name(r).to_uppercase()
        }),
        ("template", "values.yaml", "password: {{ .Values.@@ | quote }}\n", word_name),
        ("environment", "settings.py", "SECRET_KEY = os.environ[\"@@\"]\n", |r| word_name(r).to_uppercase()),
        ("call", "app.py", "token = self.@@(request, user)\n", word_name),
        ("type", "app.ts", "interface Login { password: string; token: @@ }\n", word_name),
        ("name", "app.js", "const TOKEN_KEY = '@@';\n", word_name),
        ("storage key", "app.ts", "localStorage.getItem('@@-token');\n", word_name),
        ("header name", "app.go", "const AuthHeader = \"X-@@-Token\"\n", |r| word_name(r).replace('_', "-")),
        ("path", "conf.ini", "ssl_key = /etc/ssl/private/@@.key\n", word_name),
        ("message", "app.rb", "raise \"The password of @@ must have eight characters\"\n", word_name),
        ("key of a map", "app.py", "key = \"@@\"\nvalue = cache[key]\n", word_name),
        (
            "cache key",
            "ci.yml",
            "      - uses: actions/cache@v4\n        with:\n          key: build-linux-@@\n",
            hex64,
        ),
        ("test id", "page.tsx", "<button data-testid=\"login-token-@@\" />\n", |r| r.text(8, LOWER)),
        ("digest in a test", "test.rs", "assert_eq!(hash_of_token(&token), \"@@\");\n", hex64),
        ("number", "app.c", "#define KEY_LENGTH @@\n", |r| r.text(10, DIGITS)),
        ("kind of token", "app.rs", "let token_kind = TokenKind::@@;\n", word_name),
        ("url without", "README.md", "https://user:password@example.com/@@\n", |r| r.text(20, HEX)),
        ("translation", "en.json", "{ \"forgot_password\": \"@@\" }\n", |r| word_name(r).replace('_', " ")),
        ("regex", "check.py", "TOKEN_PATTERN = r\"[A-Za-z0-9]{32}@@\"\n", word_name),
        ("base64 of text", "test.js", "const body = decode('@@');\n", |r| encode(&word_name(r).repeat(2))),
        ("color", "theme.json", "{ \"token.color\": \"#@@\" }\n", |r| r.text(6, HEX)),
    ]
}

/// What looks like a secret and is none, `per_form` of each form.
pub fn lookalikes(seed: u64, per_form: usize) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    for _ in 0..per_form {
        for (name, path, text, make) in lookalike_forms().into_iter().chain(further_forms::lookalike_forms()) {
            let value = make(&mut random);
            cases.push(case(name, path, text, value));
        }
    }
    cases
}
