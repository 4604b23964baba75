import type { Finding, Severity } from '../../lib/importers/finding.ts';
import { fingerprintOf } from '../../lib/importers/identity.ts';
import { describeFinding } from '../../lib/importers/markdown.ts';

export type Language = 'typescript' | 'python' | 'go' | 'java';

/** What a scanner of source finds: CWE, severity, rule, message, the line in question (NAME is replaced), the fix. */
const CODE: Record<Language, string> = {
  typescript: `
CWE-89   | high   | sql-string-concat | User input is put into the text of a query | await db.query(\`select * from NAME where id = \${req.query.id}\`); | Pass values as parameters.
CWE-79   | high   | dangerously-set-html | Text becomes HTML without being sanitized | <div dangerouslySetInnerHTML={{ __html: NAME.description }} /> | Render it as text, or sanitize it first.
CWE-22   | high   | path-join-user-input | A path is made of user input | const file = path.join(UPLOADS, req.params.NAME); | Resolve the path and check that it stays below the directory.
CWE-918  | high   | ssrf-fetch | The address of a request is user input | const answer = await fetch(req.body.NAMEUrl); | Allow known hosts only.
CWE-1333 | medium | regex-from-input | A regular expression is made of user input | const match = new RegExp(req.query.NAME as string); | Escape it, or search for plain text.
CWE-601  | medium | open-redirect | A redirect goes wherever the request says | res.redirect(req.query.NAME as string); | Redirect to paths of this site only.
CWE-338  | medium | insecure-random | Math.random makes something that must not be guessed | const NAMEToken = Math.random().toString(36).slice(2); | Use crypto.randomBytes.
CWE-352  | medium | missing-csrf-check | A form is taken without a check where it comes from | router.post('/NAME', save); | Check the Origin, or use a token.
CWE-1004 | low    | cookie-without-httponly | A cookie can be read by scripts | res.cookie('NAME', value); | Set httpOnly.
CWE-532  | low    | logged-request-body | A whole request goes into the log | logger.info('NAME', req.body); | Log what is needed, field by field.`,
  python: `
CWE-502  | critical | pickle-load | Data from outside is unpickled, which runs code | NAME = pickle.loads(request.data) | Use JSON.
CWE-78   | high   | subprocess-shell | User input is part of a shell command | subprocess.run(f"convert {NAME}", shell=True) | Pass a list of arguments, without a shell.
CWE-89   | high   | sql-format-string | User input is put into the text of a query | cursor.execute(f"select * from NAME where id = {pk}") | Pass values as parameters.
CWE-327  | medium | weak-hash-md5 | MD5 is used where collisions matter | digest = hashlib.md5(NAME.encode()).hexdigest() | Use SHA-256.
CWE-295  | high   | requests-no-verify | Certificates are not checked | requests.get(NAME_url, verify=False) | Leave verify on.
CWE-611  | medium | xml-external-entities | External entities of XML are resolved | tree = etree.parse(NAME) | Use defusedxml.
CWE-703  | low    | assert-in-production | An assert checks input, and is gone with -O | assert NAME is not None | Raise an exception.
CWE-400  | low    | request-without-timeout | A request may wait for ever | requests.post(NAME_url, json=body) | Give it a timeout.`,
  go: `
CWE-89   | high   | sql-sprintf | User input is put into the text of a query | rows, err := db.Query(fmt.Sprintf("select * from NAME where id = %s", id)) | Pass values as parameters.
CWE-295  | high   | tls-skip-verify | Certificates are not checked | NAME := &tls.Config{InsecureSkipVerify: true} | Trust the right authority instead.
CWE-362  | medium | map-shared-without-lock | A map is written by several goroutines | NAMECache[key] = value | Guard it with a mutex, or use sync.Map.
CWE-681  | medium | integer-narrowed | A number may not fit | amount := int32(NAME.Total) | Check its range first.
CWE-703  | low    | error-ignored | An error is thrown away | _ = NAME.Close() | Handle it, or say why not.
CWE-276  | medium | file-permissions-open | A file can be read by everybody | os.WriteFile(NAME, data, 0o644) | Use 0o600.
CWE-400  | medium | server-without-timeouts | A slow client holds a connection for ever | srv := &http.Server{Addr: addr, Handler: NAME} | Set ReadHeaderTimeout.`,
  java: `
CWE-502  | critical | object-input-stream | Objects from outside are deserialized | Object NAME = new ObjectInputStream(in).readObject(); | Use a format without classes, such as JSON.
CWE-611  | high   | xxe-document-builder | External entities of XML are resolved | DocumentBuilderFactory NAME = DocumentBuilderFactory.newInstance(); | Disallow doctypes.
CWE-89   | high   | sql-concat-statement | User input is put into the text of a query | statement.executeQuery("select * from NAME where sku = '" + sku + "'"); | Use a PreparedStatement.
CWE-327  | medium | cipher-ecb | ECB shows what blocks are equal | Cipher NAME = Cipher.getInstance("AES/ECB/PKCS5Padding"); | Use AES/GCM.
CWE-330  | medium | java-util-random | A predictable generator makes something that must not be guessed | String NAME = Long.toHexString(new Random().nextLong()); | Use SecureRandom.
CWE-209  | low    | stack-trace-in-response | A stack trace goes to the client | NAME.printStackTrace(response.getWriter()); | Log it, and answer with an id.
CWE-117  | low    | log-forging | Line breaks of a user reach the log | log.info("NAME " + request.getParameter("q")); | Encode them.`,
};

/** What a scanner of running sites finds: CWE, severity, name, what it means, the fix. */
const WEB = `
CWE-79   | high   | Cross-site scripting (reflected) | A parameter comes back as part of the page, and runs. | Encode output for where it stands.
CWE-89   | critical | SQL injection | A parameter changes the query: the answer takes five seconds longer with pg_sleep(5). | Pass values as parameters.
CWE-639  | high   | Another customer's data by changing an id | With the id of somebody else's order the answer is theirs. | Look up by id and owner.
CWE-1021 | medium | Page can be framed | There is neither frame-ancestors nor X-Frame-Options. | Send frame-ancestors 'none'.
CWE-693  | medium | No content security policy | Injected scripts run. | Send a policy without inline scripts.
CWE-319  | medium | No Strict-Transport-Security | A first request may go over HTTP. | Send the header with a year or more.
CWE-614  | low    | Cookie without Secure | It is sent over HTTP, too. | Set Secure.
CWE-693  | low    | No X-Content-Type-Options | Browsers guess types. | Send nosniff.
CWE-200  | low    | Server tells its version | The Server header names product and version. | Leave the version out.
CWE-525  | info   | Page may be cached | There is no Cache-Control. | Send no-store where data is personal.`;

/** What a scanner of infrastructure finds: severity, rule, what is so, the fix. */
const INFRASTRUCTURE = `
high   | CKV_AWS_20  | The bucket can be read by everybody | Remove the public ACL.
high   | CKV_AWS_24  | SSH is open to all addresses | Allow the office's addresses only.
medium | CKV_AWS_18  | Access to the bucket is not logged | Switch logging on.
medium | CKV_AWS_21  | Objects are not versioned | Switch versioning on.
high   | CKV_AWS_16  | The database is not encrypted at rest | Set storage_encrypted.
medium | CKV_AWS_133 | The database has no automatic backups | Set backup_retention_period.
high   | CKV_K8S_16  | The container is privileged | Drop privileged.
medium | CKV_K8S_20  | The container may gain privileges | Set allowPrivilegeEscalation to false.
medium | CKV_K8S_22  | The root file system can be written | Set readOnlyRootFilesystem.
low    | CKV_K8S_11  | There is no CPU limit | Set resources.limits.cpu.
low    | CKV_K8S_13  | There is no memory limit | Set resources.limits.memory.
medium | CKV_K8S_43  | The image is not pinned by its digest | Name the image with its digest.
low    | CKV_K8S_8   | There is no liveness probe | Add one.
low    | CKV_DOCKER_2 | The image has no health check | Add HEALTHCHECK.
medium | CKV_DOCKER_3 | The container runs as root | Add USER.`;

const SECRETS = `
aws-access-token | AWS access key | AKIA********
private-key | Private key | -----BEGIN ********
github-pat | GitHub personal access token | ghp_********
stripe-access-token | Stripe secret key | sk_l********
slack-webhook-url | Slack webhook | http********
generic-api-key | API key | ********`;

const table = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.trim()));

const cweLink = (cwe: string) => `https://cwe.mitre.org/data/definitions/${cwe.slice(4)}.html`;

/** Every weakness that may be in a file of source. */
export function inSource(language: Language, file: string): Finding[] {
  const name =
    /([\w-]+)\.\w+$/.exec(file)?.[1]?.replaceAll(/-./g, (part) => part.slice(1).toUpperCase()) ?? 'value';
  return table(CODE[language]).map(
    ([cwe = '', severity, rule = '', message = '', line = '', fix], index) => ({
      fingerprint: fingerprintOf('semgrep', rule, file),
      title: `${rule}: ${message}`,
      severity: severity as Severity,
      description: describeFinding({
        what: `${message}.`,
        facts: { Rule: `${language}.security.${rule}`, Location: file },
        snippet: line.replaceAll('NAME', name),
        fix,
        references: [cweLink(cwe)],
      }),
      cwe,
      file,
      line: 12 + ((file.length * 37 + index * 101) % 260),
      source: 'semgrep',
    }),
  );
}

/** Every weakness that may be at an address. */
export function atAddress(url: string): Finding[] {
  return table(WEB).map(([cwe = '', severity, name = '', what, fix]) => ({
    fingerprint: fingerprintOf('zap', name, url),
    title: `${name}: ${new URL(url).pathname}`,
    severity: severity as Severity,
    description: describeFinding({
      what,
      facts: { URL: url, Method: 'GET' },
      fix,
      references: [cweLink(cwe)],
    }),
    cwe,
    source: 'zap',
  }));
}

/** Every weakness that may be in a description of infrastructure. */
export function inInfrastructure(file: string): Finding[] {
  const rules = { '.tf': /AWS/, yaml: /K8S/, file: /DOCKER/ };
  const kind = rules[file.endsWith('.tf') ? '.tf' : file.endsWith('.yaml') ? 'yaml' : 'file'];
  return table(INFRASTRUCTURE)
    .filter(([, rule = '']) => kind.test(rule))
    .map(([severity, rule, what = '', fix]) => ({
      fingerprint: fingerprintOf('checkov', rule, file),
      title: `${rule}: ${what}`,
      severity: severity as Severity,
      description: describeFinding({ what: `${what}.`, facts: { Check: rule, Location: file }, fix }),
      file,
      line: 1 + (file.length % 9),
      source: 'checkov',
    }));
}

/** Every secret that may have been committed to a file. */
export function secretsIn(file: string): Finding[] {
  return table(SECRETS).map(([rule = '', what = '', masked = ''], index) => ({
    fingerprint: fingerprintOf('gitleaks', rule, file),
    title: `${what} in ${file}`,
    severity: index < 4 ? 'critical' : 'high',
    description: describeFinding({
      what: `A secret was committed: ${what}. It is in the history even when the file is changed.`,
      facts: { Rule: rule, Location: file, Secret: masked },
      fix: 'Revoke it first, then take it out of the source.',
      references: [cweLink('CWE-798')],
    }),
    cwe: 'CWE-798',
    file,
    line: 3 + index * 7,
    source: 'gitleaks',
  }));
}
