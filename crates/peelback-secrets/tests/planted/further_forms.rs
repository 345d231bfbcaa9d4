//! Further forms, as files of repositories write them: settings, shell and Docker files, commit messages, annotated and raw
//! strings, connection strings, names of files. In a path, too, `@@` stands for the value.

use super::{
    ANY, BASE64, CAPITALS, DIGITS, Form, HEX, LOWER, Random, any24, any32, any40, base44, basic, encode, hex40, hex64,
    json_key, password, url43, uuid, word_name,
};

/// An access token of GitHub.
fn github(random: &mut Random) -> String {
    format!("ghp_{}", random.text(36, ANY))
}

/// The forms of planted secrets in this file.
pub fn forms() -> Vec<Form> {
    [configuration(), headers_and_history(), code(), connections_and_names()].concat()
}

fn configuration() -> Vec<Form> {
    vec![
        (
            "kubeconfig password",
            "kube.yaml",
            "users:\n- name: ann\n  user:\n    username: ann\n    password: @@\n",
            password,
        ),
        (
            "kubeconfig provider",
            "kube.yaml",
            "kind: Config\nusers:\n- name: ann\n  user:\n    auth-provider:\n      config:\n        id-token: @@\n      name: oidc\n",
            any40,
        ),
        (
            "credentials plain",
            "conf/credentials",
            "[default]\nregion=eu-west-1\n\n[ci]\naws_secret_access_key=@@\nregion=eu-west-1\n",
            |r| r.text(40, BASE64),
        ),
        ("credentials session", "conf/credentials", "[ci]\naws_session_token = @@\noutput = json\n", |r| {
            r.text(200, BASE64)
        }),
        ("credentials toml", "conf/credentials", "[registry]\ntoken = \"@@\"\n", any32),
        ("ini bare", "smtp.ini", "[smtp]\nhost=mail.shop.io\npasswd=@@\nport=587\n", password),
        ("ini spaced", "app.ini", "[security]\nINSTALL_LOCK = true\nSECRET_KEY = @@\n", any40),
        ("ini comment behind", "app.ini", "[api]\naccess_key = @@ ; of the shop\nretries = 3\n", any32),
        ("tox", "tox.ini", "[testenv]\nsetenv =\n    SHOP_TOKEN = @@\n    PYTHONHASHSEED = 0\n", any40),
        (
            "workflow run",
            ".github/workflows/deploy.yml",
            "    steps:\n      - run: |\n          curl -fsS -H \"Authorization: Bearer @@\" https://api.shop.io/deploys\n",
            any40,
        ),
        (
            "workflow export",
            ".gitlab-ci.yml",
            "deploy:\n  script:\n    - export DEPLOY_PASSWORD='@@'\n    - make deploy\n",
            password,
        ),
        (
            "workflow variables",
            ".gitlab-ci.yml",
            "variables:\n  REGISTRY_PASSWORD: \"@@\"\n  REGISTRY_USER: shop\n",
            password,
        ),
        ("properties key", "app.properties", "shop.name=Shop\nshop.api.key=@@\n", any32),
        (
            "properties url",
            "flyway.properties",
            "flyway.url=jdbc:postgresql://db.internal/shop\nflyway.password = @@\n",
            password,
        ),
        ("properties store", "keystore.properties", "storeFile=shop.jks\nstorePassword=@@\nkeyAlias=shop\n", password),
        ("values plain", "chart/values.yaml", "redis:\n  enabled: true\n  password: @@\n", password),
        (
            "values list",
            "chart/values.yaml",
            "extraEnv:\n  - name: SHOP_API_TOKEN\n    value: @@\n  - name: LOG_LEVEL\n    value: info\n",
            any40,
        ),
        ("values camel", "chart/values.yaml", "ingress: {}\noauth:\n  clientSecret: \"@@\"\n  clientId: shop\n", url43),
        ("values flow", "chart/values.yaml", "auth: { username: shop, password: \"@@\" }\n", password),
        (
            "settings.xml passphrase",
            "conf/settings.xml",
            "<server>\n  <id>releases</id>\n  <passphrase>@@</passphrase>\n</server>\n",
            password,
        ),
        (
            "settings.xml header",
            "conf/settings.xml",
            "<httpHeaders>\n  <property>\n    <name>Private-Token</name>\n    <value>@@</value>\n  </property>\n</httpHeaders>\n",
            any32,
        ),
        (
            "appsettings smtp",
            "appsettings.Production.json",
            "{\n  \"Smtp\": {\n    \"Host\": \"mail.shop.io\",\n    \"Password\": \"@@\"\n  }\n}\n",
            password,
        ),
        (
            "appsettings pwd",
            "appsettings.json",
            "{ \"ConnectionStrings\": { \"Shop\": \"Data Source=db;Initial Catalog=shop;Uid=shop;Pwd=@@;\" } }\n",
            any24,
        ),
        ("appsettings hex", "appsettings.json", "{ \"Encryption\": { \"MasterKey\": \"@@\" } }\n", hex64),
        ("pgpass any", "pgpass.conf", "*:*:*:deploy:@@\n", any24),
        ("pgpass two", "pgpass.conf", "# hosts\nlocalhost:5432:shop:shop:@@\n", password),
        (
            "git config credentials",
            "shop.gitconfig",
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://oauth2:@@@gitlab.shop.io/shop/app.git\n",
            any24,
        ),
        (
            "git config bearer",
            "shop.gitconfig",
            "[http]\n\textraheader = Authorization: Bearer @@\n\tpostBuffer = 1048576\n",
            any40,
        ),
        (
            "git config instead",
            "shop.gitconfig",
            "[url \"https://ann:@@@git.shop.io/\"]\n\tinsteadOf = https://git.shop.io/\n",
            any32,
        ),
        ("hex environment", "app.conf", "PORT=80\nENCRYPTION_KEY=@@\n", hex64),
        ("hex prefixed", "hardhat.conf", "NETWORK=main\nPRIVATE_KEY=0x@@\n", hex64),
        ("netrc lines", "machines.txt", "machine git.shop.io\n  login ann\n  password @@\n", any24),
        ("systemd", "shop.service", "[Service]\nEnvironment=SHOP_TOKEN=@@\nExecStart=/usr/bin/shop\n", any40),
        ("ansible", "hosts.ini", "[db]\ndb1 ansible_user=ann ansible_password=@@\n", any24),
        ("vault json", "dump.json", "{ \"data\": { \"access_key\": \"@@\", \"ttl\": 3600 } }\n", any40),
        ("kubernetes key", "k8s/tls.yaml", "apiVersion: v1\nkind: Secret\ndata:\n  tls.key: @@\n", json_key),
        (
            "docker auth bare",
            "docker.json",
            "{\n  \"auths\": {\n    \"ghcr.io\": {\n      \"auth\": \"@@\"\n    }\n  }\n}\n",
            basic,
        ),
    ]
}

fn headers_and_history() -> Vec<Form> {
    vec![
        ("basic shell", "call.sh", "curl -fsS -H 'Authorization: Basic @@' https://api.shop.io/v1/orders\n", basic),
        (
            "bearer variable",
            "call.sh",
            "AUTH=\"Authorization: Bearer @@\"\ncurl -H \"$AUTH\" https://api.shop.io/v1\n",
            any40,
        ),
        (
            "bearer wget",
            "call.sh",
            "wget -q --header=\"Authorization: Bearer @@\" https://api.shop.io/v1/orders\n",
            any32,
        ),
        (
            "bearer docker",
            "Dockerfile",
            "FROM alpine:3\nRUN curl -H \"Authorization: Bearer @@\" -o a.tgz https://files.shop.io/a.tgz\n",
            any40,
        ),
        (
            "basic docker",
            "Dockerfile",
            "FROM alpine:3\nRUN wget --header='Authorization: Basic @@' https://files.shop.io/a.tgz\n",
            basic,
        ),
        ("docker env two", "Dockerfile", "FROM alpine:3\nENV PORT=80 SHOP_API_KEY=@@ LOG=info\n", any32),
        ("docker login", "push.sh", "docker login ghcr.io -u shop -p @@\ndocker push ghcr.io/shop/app\n", any40),
        ("docker build argument", "build.sh", "docker build --build-arg NPM_TOKEN=@@ -t shop .\n", any40),
        ("mysql flag", "dump.sh", "mysqldump -h db -u shop -p@@ shop > shop.sql\n", any24),
        ("pgpassword", "dump.sh", "PGPASSWORD=@@ pg_dump -h db.internal shop > shop.sql\n", password),
        (
            "commit token",
            "history.txt",
            "commit 6f1d\nAuthor: Ann <ann@shop.io>\n\n    Deploy by hand\n\n    The deploy token is @@ until Friday.\n",
            any40,
        ),
        ("commit password", "history.txt", "Merge branch 'db'\n\n* Change the password of the database to @@\n", any24),
        ("commit vendor", "history.txt", "    Try again with @@, since CI's own one has expired\n", github),
        ("commit url", "history.txt", "    Fetch from https://ann:@@@git.shop.io/shop/app.git\n", any24),
        ("commit assignment", "history.txt", "    set SHOP_SECRET_KEY=@@ in staging\n", any32),
        ("reflog", "reflog.txt", "0000 6f1d Ann <ann@shop.io> 1 +0000\tcommit: api_key=@@ for the tests\n", any32),
    ]
}

fn code() -> Vec<Form> {
    vec![
        ("python annotated plain", "settings.py", "PORT: int = 80\nAPI_KEY: str = \"@@\"\n", any32),
        ("python union", "settings.py", "db_password: str | None = '@@'\n", password),
        ("python raw", "settings.py", "SECRET_TOKEN = r\"@@\"\n", any40),
        ("python raw bytes", "settings.py", "signing_secret = rb'@@'\n", any32),
        ("python formatted", "client.py", "headers = {\"Authorization\": f\"Bearer @@\"}\n", any40),
        (
            "python field",
            "settings.py",
            "class Settings(BaseSettings):\n    api_token: str = Field(\"@@\", alias=\"t\")\n",
            any40,
        ),
        ("go typed block", "main.go", "const (\n\tport = 80\n\tapiSecret string = \"@@\"\n)\n", any40),
        ("go raw bytes", "main.go", "var hmacSecret = []byte(`@@`)\n", any32),
        ("go map", "main.go", "var env = map[string]string{\n\t\"DB_PASSWORD\": \"@@\",\n}\n", password),
        ("typescript bare", "app.ts", "export const config = {\n  apiKey: '@@' as string,\n};\n", any32),
        ("typescript generic", "app.ts", "let authToken: Readonly<string> = `@@`;\n", any40),
        (
            "javascript parameter",
            "app.js",
            "function open(url, apiSecret = '@@') {\n  return [url, apiSecret];\n}\n",
            any32,
        ),
        ("rust static", "main.rs", "pub static CLIENT_SECRET: &'static str = \"@@\";\n", url43),
        ("rust bytes", "main.rs", "const HMAC_KEY: &[u8] = b\"@@\";\n", any32),
        ("rust raw bytes", "main.rs", "let signing_key = br#\"@@\"#;\n", any40),
        ("rust sized bytes", "main.rs", "static SESSION_SECRET: &[u8; 32] = b\"@@\";\n", any32),
        ("csharp property", "App.cs", "public string ApiKey { get; set; } = \"@@\";\n", any32),
        ("csharp raw", "App.cs", "var clientSecret = \"\"\"@@\"\"\";\n", url43),
        ("kotlin raw", "App.kt", "val dbPassword = \"\"\"@@\"\"\"\n", password),
        ("swift raw", "App.swift", "let apiSecret = #\"@@\"#\n", any32),
        ("cpp raw", "app.cpp", "const std::string auth_token = R\"(@@)\";\n", any40),
        ("cpp typed", "app.cpp", "static constexpr std::string_view kApiKey{\"@@\"};\n", any32),
        ("java annotation", "App.java", "@Value(\"${shop.password:@@}\")\nprivate String password;\n", any24),
        ("java builder", "App.java", "Client c = Client.builder().secretKey(\"@@\").region(\"eu\").build();\n", any40),
        ("php define plain", "config.php", "<?php\ndefine(\"API_SECRET\",\"@@\");\n", any32),
        ("php const", "config.php", "<?php\nconst DB_PASSWORD = '@@';\n", password),
        ("php env", "config.php", "<?php\n$token = env('SHOP_TOKEN', '@@');\n", any40),
        ("php typed", "Api.php", "<?php\nclass Api {\n    private string $secretKey = '@@';\n}\n", any32),
        ("ruby fetch", "app.rb", "key = ENV.fetch(\"SHOP_API_KEY\", \"@@\")\n", any32),
        ("ruby frozen", "app.rb", "API_TOKEN = \"@@\".freeze\n", any40),
        ("scala typed", "App.scala", "final val ApiToken: String = \"\"\"@@\"\"\"\n", any40),
        ("hex go", "main.go", "const encryptionKey = \"@@\"\n", hex64),
        ("hex javascript", "app.js", "const masterSecret = Buffer.from('@@', 'hex');\n", hex64),
        ("elixir", "config.exs", "config :shop, Shop.Endpoint, secret_key_base: \"@@\"\n", base44),
        ("dart", "main.dart", "const String apiKey = '@@';\n", any32),
    ]
}

fn connections_and_names() -> Vec<Form> {
    vec![
        (
            "connection mongo",
            "db.js",
            "connect('mongodb+srv://shop:@@@cluster0.shop.mongodb.net/shop?retryWrites=true');\n",
            any24,
        ),
        ("connection redis", "queue.yml", "redis:\n  url: redis://:@@@cache.internal:6379/0\n", any24),
        ("connection amqp", "queue.py", "BROKER = 'amqp://shop:@@@rabbit.internal:5672//'\n", any24),
        ("connection odbc", "db.py", "DSN = \"Driver={ODBC Driver 18};Server=db;Uid=shop;Pwd={@@};\"\n", any24),
        ("connection oracle", "db.properties", "url=jdbc:oracle:thin:shop/@@@db.internal:1521/SHOP\n", any24),
        (
            "connection sqlserver",
            "db.properties",
            "url=jdbc:sqlserver://db;user=shop;password=@@;encrypt=true\n",
            any24,
        ),
        ("connection smtp", "mail.toml", "dsn = \"smtps://shop:@@@mail.shop.io:465\"\n", any24),
        (
            "connection mixed",
            "App.config",
            "<add name=\"Shop\" connectionString=\"Server=db;User=shop;Password=@@\" />\n",
            any24,
        ),
        (
            "connection libpq",
            "db.go",
            "sql.Open(\"postgres\", \"host=db user=shop password=@@ sslmode=disable\")\n",
            any24,
        ),
        ("file name", "dumps/backup-@@.sql", "-- a dump of the shop\nSELECT 1;\n", github),
        ("file name slack", "exports/@@.json", "{ \"rows\": [] }\n", |r| {
            format!("xoxb-{}-{}-{}", r.text(12, DIGITS), r.text(12, DIGITS), r.text(24, ANY))
        }),
        ("folder name", "cache/@@/readme.txt", "What the shop keeps.\n", |r| format!("glpat-{}", r.text(20, ANY))),
    ]
}

/// The forms of further look-alikes.
pub fn lookalike_forms() -> Vec<Form> {
    vec![
        ("pnpm lock", "pnpm-lock.yaml", "  /keys@1.0.0:\n    resolution: {integrity: sha512-@@}\n", super::sha512),
        (
            "composer lock",
            "composer.lock",
            "            \"dist\": {\n                \"shasum\": \"@@\"\n            }\n",
            hex40,
        ),
        ("composer hash", "composer.lock", "    \"content-hash\": \"@@\",\n", super::hex32),
        (
            "pipfile lock",
            "Pipfile.lock",
            "            \"hashes\": [\n                \"sha256:@@\"\n            ],\n",
            hex64,
        ),
        ("gemfile lock", "Gemfile.lock", "CHECKSUMS\n  secret_token (1.0.0) sha256=@@\n", hex64),
        ("mix lock", "mix.lock", "  \"jason\": {:hex, :jason, \"1.4.1\", \"@@\", [:mix], [], \"hexpm\"},\n", hex64),
        ("flake lock", "flake.lock", "        \"narHash\": \"sha256-@@\",\n", base44),
        ("flake revision", "flake.lock", "        \"rev\": \"@@\",\n", hex40),
        ("go mod", "go.mod", "require github.com/shop/token v0.0.0-20240102030405-@@\n", |r| r.text(12, HEX)),
        ("pod lock", "Podfile.lock", "SPEC CHECKSUMS:\n  KeychainAccess: @@\n", hex40),
        (
            "uv lock",
            "uv.lock",
            "wheels = [{ url = \"https://files.shop.io/keyring-24-py3.whl\", hash = \"sha256:@@\" }]\n",
            hex64,
        ),
        (
            "gradle verification",
            "verification-metadata.xml",
            "<artifact name=\"auth-1.0.jar\">\n  <sha256 value=\"@@\" origin=\"Generated\"/>\n</artifact>\n",
            hex64,
        ),
        ("integrity attribute", "index.html", "<script src=\"/app.js\" integrity=\"sha384-@@\"></script>\n", |r| {
            r.text(64, BASE64)
        }),
        ("checksum file", "SHA256SUMS", "@@  shop-keys-1.0.tar.gz\n", hex64),
        ("docker digest", "Dockerfile", "FROM alpine@sha256:@@\nRUN apk add openssl\n", hex64),
        ("submodule", "versions.txt", "160000 commit @@\tvendor/token\n", hex40),
        ("uuid yaml", "deploy.yaml", "tenantId: @@\nclientId: shop\n", uuid),
        ("uuid solution", "shop.sln", "Project(\"{@@}\") = \"Auth\", \"Auth.csproj\"\n", uuid),
        ("uuid sql", "seed.sql", "INSERT INTO tokens_kinds (id, name) VALUES ('@@', 'access');\n", uuid),
        ("trace id", "log.txt", "level=info msg=\"token refreshed\" trace_id=@@\n", super::hex32),
        ("sample access key", "README.md", "Set `AWS_ACCESS_KEY_ID=AKIA@@EXAMPLE` first.\n", |r| r.text(9, CAPITALS)),
        ("sample secret key", "README.md", "aws_secret_access_key = @@\n", |r| {
            format!("{}EXAMPLEKEY", r.text(30, BASE64))
        }),
        ("sample token", "docs/api.md", "curl -H \"Authorization: Bearer YOUR_@@_TOKEN\" https://api.shop.io\n", |r| {
            word_name(r).to_uppercase()
        }),
        ("sample x key", "docs/api.md", "    OPENAI_API_KEY=sk-@@\n", |r| "x".repeat(20 + r.below(20))),
        ("sample url", "docs/db.md", "DATABASE_URL=postgres://user:password@localhost:5432/@@\n", word_name),
        ("sample dots", "docs/api.md", "api_key: \"sk-...@@\"\n", |r| r.text(4, ANY)),
        ("environment in yaml", "config.yml", "password: <%= ENV[\"@@\"] %>\n", |r| word_name(r).to_uppercase()),
        ("terraform reference", "main.tf", "  password = var.@@_password\n", word_name),
        (
            "secret reference",
            "deploy.yaml",
            "        secretKeyRef:\n          name: @@\n          key: password\n",
            |r| word_name(r).replace('_', "-"),
        ),
        ("manager reference", "deploy.sh", "TOKEN=$(vault kv get -field=token secret/@@)\n", word_name),
        ("header constant", "Api.java", "static final String API_KEY_HEADER = \"X-@@-Key\";\n", |r| {
            word_name(r).replace('_', "-")
        }),
        ("label", "form.tsx", "<Input label=\"Password of @@\" type=\"password\" />\n", |r| {
            word_name(r).replace('_', " ")
        }),
        ("base64 of words", "data.json", "{ \"description\": \"@@\" }\n", |r| encode(&word_name(r).repeat(3))),
        ("file hash name", "manifest.json", "{ \"auth.js\": \"auth.@@.js\" }\n", |r| r.text(16, LOWER)),
        ("number of key", "keys.py", "KEY_ID = @@\n", |r| format!("7{}", r.text(11, DIGITS))),
    ]
}
