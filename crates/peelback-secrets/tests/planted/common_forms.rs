//! Forms in which a secret stands by its place, under names in other languages, in lists, commands and queries.

use super::{Form, any24, any32, any40, base44, hex64, password};

/// A password that is no more than letters and digits, as commands and tables take it without quotes.
fn plain(random: &mut super::Random) -> String {
    format!("{}{}", random.text(9, super::ANY), random.text(5, "abcdefghjkmnp23456789"))
}

fn aws_pair(random: &mut super::Random) -> String {
    random.text(40, super::BASE64)
}

pub fn forms() -> Vec<Form> {
    [arguments(), lists_and_markup(), commands_and_queries(), names_and_places()].concat()
}

fn arguments() -> Vec<Form> {
    vec![
        ("argument connect", "db.py", "db = connect(\"bob\", \"@@\")\n", password),
        ("argument login", "mail.py", "smtp.login(\"bot@shop.io\", \"@@\")\n", password),
        ("argument auth", "call.py", "requests.get(url, auth=(\"bob\", \"@@\"))\n", password),
        ("argument basic", "call.py", "auth = HTTPBasicAuth('bob', '@@')\n", password),
        ("argument aws", "s3.py", "s3 = boto3.client(\"s3\", \"AKIAIOSFODNN7EXAMPLE\", \"@@\")\n", aws_pair),
        ("argument credentials", "s3.js", "new AWS.Credentials('AKIAIOSFODNN7EXAMPLE', '@@')\n", aws_pair),
        ("argument jwt", "sign.js", "const signed = jwt.sign(payload, \"@@\", { expiresIn: '1h' });\n", any40),
        ("argument fernet", "box.py", "box = Fernet(b\"@@\")\n", base44),
        ("argument condition", "app.py", "secret = os.environ[\"S\"] if os.environ.get(\"S\") else \"@@\"\n", any32),
        ("argument ternary", "app.js", "const token = production ? load() : \"@@\";\n", any32),
        ("argument equals", "App.java", "if (password.equals(\"@@\")) { return true; }\n", password),
        ("argument default", "app.go", "password := viper.GetString(\"db\", \"@@\")\n", password),
        ("argument atom", "app.exs", "{:password, \"@@\"}\n", password),
        ("argument r", "app.R", "password <- \"@@\"\n", password),
        ("argument echo", "run.sh", "export TOKEN=$(echo @@)\n", any32),
    ]
}

fn lists_and_markup() -> Vec<Form> {
    vec![
        ("list yaml", "app.yml", "tokens:\n  - @@\n  - main\nport: 80\n", any32),
        ("list yaml second", "app.yml", "tokens:\n  - main\n  - @@\nport: 80\n", any32),
        ("map yaml", "app.yml", "passwords:\n  alice: none\n  bob: @@\nport: 80\n", plain),
        ("list python", "app.py", "passwords = [\"none\", \"@@\"]\n", password),
        ("map python", "app.py", "API_KEYS = {\"prod\": \"@@\", \"dev\": \"none\"}\n", any32),
        ("map lines", "app.js", "const apiKeys = {\n  dev: 'none',\n  prod: '@@',\n};\n", any32),
        ("xml attribute", "conf.xml", "<password encrypted=\"no\">@@</password>\n", plain),
        ("xml cdata", "conf.xml", "<password><![CDATA[@@]]></password>\n", password),
        ("yaml tag", "app.yml", "db:\n  password: !!str @@\n", plain),
        ("yaml anchor", "app.yml", "db:\n  password: &pw @@\n", plain),
        ("yaml next line", "app.yml", "db:\n  password:\n    @@\n  port: 80\n", plain),
        ("table row", "README.md", "| name | value |\n| --- | --- |\n| password | @@ |\n", plain),
        ("table code", "README.md", "| Password | `@@` |\n", plain),
        ("masked before", "app.py", "password = \"[masked]@@\"\n", any24),
    ]
}

fn commands_and_queries() -> Vec<Form> {
    vec![
        ("command curl", "run.sh", concat!("curl -", "u admin:@@ https://api.shop.io\n"), plain),
        ("command curl long", "run.sh", "curl --user 'admin:@@' https://api.shop.io\n", plain),
        ("command sshpass", "run.sh", "sshpass -p @@ ssh host\n", plain),
        ("command sshpass quoted", "run.sh", "sshpass -p '@@' ssh host\n", plain),
        ("command redis", "run.sh", "redis-cli -h cache -a @@ ping\n", plain),
        ("command keytool", "run.sh", "keytool -list -storepass @@ -keystore shop.jks\n", plain),
        ("command htpasswd", "run.sh", "htpasswd -b users.txt bob @@\n", plain),
        ("command net user", "run.bat", "net user bob @@ /add\r\n", plain),
        ("command twine", "run.sh", "twine upload -u ann -p @@ dist/*\n", plain),
        ("command openssl", "run.sh", "openssl enc -aes-256-cbc -pass pass:@@ -in a\n", plain),
        ("command openssl key", "run.sh", "openssl enc -aes-256-cbc -k @@ -in a\n", plain),
        ("command chpasswd", "run.sh", "echo \"bob:@@\" | chpasswd\n", plain),
        ("command stdin", "run.sh", "echo @@ | docker login --username shop --password-stdin\n", any32),
        ("command literal", "run.sh", "kubectl create secret generic shop --from-literal=db=@@\n", plain),
        ("command vault", "run.sh", "vault kv put secret/shop value=@@\n", plain),
        ("sql identified", "users.sql", "CREATE USER 'shop'@'%' IDENTIFIED BY '@@';\n", plain),
        ("sql login", "users.sql", "CREATE LOGIN shop WITH PASSWORD = N'@@';\n", plain),
        ("sql role", "users.sql", "ALTER USER shop WITH PASSWORD '@@';\n", plain),
        ("cookie header", "call.sh", "curl -H 'Cookie: session=@@' https://shop.io\n", any40),
        ("cookie argument", "call.py", "client.get(url, cookies=\"sessionid=@@\")\n", any32),
    ]
}

fn names_and_places() -> Vec<Form> {
    vec![
        ("name russian", "conf.ini", "пароль = @@\n", plain),
        ("name spanish", "conf.ini", "contraseña = @@\n", plain),
        ("name portuguese", "app.py", "senha = \"@@\"\n", plain),
        ("name french", "app.py", "mot_de_passe = \"@@\"\n", plain),
        ("name short", "conf.ini", "db.pw = @@\n", plain),
        ("name wireless", "wifi.conf", "network={\n  ssid=\"shop\"\n  psk=\"@@\"\n}\n", plain),
        ("name wireless hex", "wifi.conf", "  psk=@@\n", hex64),
        ("name seed", "app.py", "totp_seed = \"@@\"\n", |r| r.text(32, super::CAPITALS)),
        ("url at", "db.py", "URL = \"postgres://shop:@@@db.shop.io/shop\"\n", |r| {
            format!("{}@{}", r.text(6, super::ANY), r.text(8, super::ANY))
        }),
        ("url bar", "db.py", "URL = \"postgres://shop:@@@db.shop.io/shop\"\n", |r| {
            format!("{}|{}", r.text(6, super::ANY), r.text(8, super::ANY))
        }),
        ("url brace", "db.py", "URL = \"postgres://shop:@@@db.shop.io/shop\"\n", |r| {
            format!("{}{{{}", r.text(6, super::ANY), r.text(8, super::ANY))
        }),
        ("shadow", "users.txt", "root:@@:19000:0:99999:7:::\n", |r| {
            format!("$6${}${}", r.text(16, super::ANY), r.text(86, super::ANY))
        }),
        ("pgpass port", "hosts.txt", "db.shop.io:6432:shop:shop:@@\n", any24),
    ]
}
