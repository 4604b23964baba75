import type { Finding, Severity } from '../importers/finding.ts';
import { fingerprintOf } from '../importers/identity/identity.ts';
import { describeFinding } from '../importers/text/markdown.ts';

export type Language = 'typescript' | 'python' | 'go' | 'java';

/** Findings of a source scanner: CWE, severity, rule, message, the line in question (NAME is replaced), the fix. */
const CODE: Record<Language, string> = {
  typescript: `
CWE-89   | high   | sql-string-concat | User input is concatenated into a query | await db.query(\`select * from NAME where id = \${req.query.id}\`); | Pass values as parameters.
CWE-79   | high   | dangerously-set-html | Unsanitized text is rendered as HTML | <div dangerouslySetInnerHTML={{ __html: NAME.description }} /> | Render it as text, or sanitize it first.
CWE-22   | high   | path-join-user-input | A path is built from user input | const file = path.join(UPLOADS, req.params.NAME); | Resolve the path and check that it stays below the directory.
CWE-918  | high   | ssrf-fetch | The address of a request is user input | const answer = await fetch(req.body.NAMEUrl); | Allow known hosts only.
CWE-1333 | medium | regex-from-input | A regular expression is built from user input | const match = new RegExp(req.query.NAME as string); | Escape it, or search for plain text.
CWE-601  | medium | open-redirect | The request determines the target of a redirect | res.redirect(req.query.NAME as string); | Redirect to paths of this site only.
CWE-338  | medium | insecure-random | Math.random generates a secret | const NAMEToken = Math.random().toString(36).slice(2); | Use crypto.randomBytes.
CWE-352  | medium | missing-csrf-check | A form is accepted without an origin check | router.post('/NAME', save); | Check the Origin header, or use a CSRF token.
CWE-1004 | low    | cookie-without-httponly | A cookie can be read by scripts | res.cookie('NAME', value); | Set httpOnly.
CWE-532  | low    | logged-request-body | A request body is written to the log | logger.info('NAME', req.body); | Log only the fields that are needed.`,
  python: `
CWE-502  | critical | pickle-load | Untrusted data is unpickled, which can run code | NAME = pickle.loads(request.data) | Use JSON.
CWE-78   | high   | subprocess-shell | User input is part of a shell command | subprocess.run(f"convert {NAME}", shell=True) | Pass a list of arguments, without a shell.
CWE-89   | high   | sql-format-string | User input is concatenated into a query | cursor.execute(f"select * from NAME where id = {pk}") | Pass values as parameters.
CWE-327  | medium | weak-hash-md5 | MD5 is used where collisions matter | digest = hashlib.md5(NAME.encode()).hexdigest() | Use SHA-256.
CWE-295  | high   | requests-no-verify | Certificates are not checked | requests.get(NAME_url, verify=False) | Do not turn off verification.
CWE-611  | medium | xml-external-entities | External XML entities are resolved | tree = etree.parse(NAME) | Use defusedxml.
CWE-703  | low    | assert-in-production | Input is checked by an assert, which -O removes | assert NAME is not None | Raise an exception.
CWE-400  | low    | request-without-timeout | A request has no timeout | requests.post(NAME_url, json=body) | Set a timeout.`,
  go: `
CWE-89   | high   | sql-sprintf | User input is concatenated into a query | rows, err := db.Query(fmt.Sprintf("select * from NAME where id = %s", id)) | Pass values as parameters.
CWE-295  | high   | tls-skip-verify | Certificates are not checked | NAME := &tls.Config{InsecureSkipVerify: true} | Trust the correct certificate authority instead.
CWE-362  | medium | map-shared-without-lock | Several goroutines write to a map | NAMECache[key] = value | Guard it with a mutex, or use sync.Map.
CWE-681  | medium | integer-narrowed | A number can overflow | amount := int32(NAME.Total) | Check its range first.
CWE-703  | low    | error-ignored | An error is ignored | _ = NAME.Close() | Handle the error, or explain why it can be ignored.
CWE-276  | medium | file-permissions-open | Everybody can read a file | os.WriteFile(NAME, data, 0o644) | Use 0o600.
CWE-400  | medium | server-without-timeouts | A slow client can keep a connection open indefinitely | srv := &http.Server{Addr: addr, Handler: NAME} | Set ReadHeaderTimeout.`,
  java: `
CWE-502  | critical | object-input-stream | Untrusted objects are deserialized | Object NAME = new ObjectInputStream(in).readObject(); | Use a data-only format, such as JSON.
CWE-611  | high   | xxe-document-builder | External XML entities are resolved | DocumentBuilderFactory NAME = DocumentBuilderFactory.newInstance(); | Disallow doctypes.
CWE-89   | high   | sql-concat-statement | User input is concatenated into a query | statement.executeQuery("select * from NAME where sku = '" + sku + "'"); | Use a PreparedStatement.
CWE-327  | medium | cipher-ecb | ECB reveals equal blocks | Cipher NAME = Cipher.getInstance("AES/ECB/PKCS5Padding"); | Use AES/GCM.
CWE-330  | medium | java-util-random | A predictable generator creates a secret | String NAME = Long.toHexString(new Random().nextLong()); | Use SecureRandom.
CWE-209  | low    | stack-trace-in-response | A stack trace is sent to the client | NAME.printStackTrace(response.getWriter()); | Log it, and return an ID to the client.
CWE-117  | low    | log-forging | Line breaks in user input reach the log | log.info("NAME " + request.getParameter("q")); | Encode line breaks.`,
};

/** Findings of a scanner of running sites: CWE, severity, name, what it means, the fix. */
const WEB = `
CWE-79   | high   | Cross-site scripting (reflected) | The page contains a parameter without encoding, so its scripts run. | Encode output for its context.
CWE-89   | critical | SQL injection | A parameter changes the query: the response takes five seconds longer with pg_sleep(5). | Pass values as parameters.
CWE-639  | high   | Access to other customers' data by changing an ID | A request with the ID of another customer's order returns that order. | Look up by ID and owner.
CWE-1021 | medium | Page can be framed | The response has neither frame-ancestors nor X-Frame-Options. | Send frame-ancestors 'none'.
CWE-693  | medium | No content security policy | Browsers run injected scripts. | Send a policy without inline scripts.
CWE-319  | medium | No Strict-Transport-Security | The first request can be sent over HTTP. | Send the header with a max-age of at least one year.
CWE-614  | low    | Cookie without Secure | The cookie is also sent over HTTP. | Set Secure.
CWE-693  | low    | No X-Content-Type-Options | Browsers guess content types. | Send nosniff.
CWE-200  | low    | Server reveals its version | The Server header contains the product and its version. | Remove the version.
CWE-525  | info   | Page may be cached | The response has no Cache-Control header. | Send no-store for personal data.`;

/** Findings of an infrastructure scanner: severity, rule, message, the fix. */
const INFRASTRUCTURE = `
high   | CKV_AWS_20  | Everybody can read the bucket | Remove the public ACL.
high   | CKV_AWS_24  | SSH is open to all addresses | Allow only the addresses of the office.
medium | CKV_AWS_18  | Access to the bucket is not logged | Turn on logging.
medium | CKV_AWS_21  | Objects are not versioned | Turn on versioning.
high   | CKV_AWS_16  | The database is not encrypted at rest | Set storage_encrypted.
medium | CKV_AWS_133 | The database has no automatic backups | Set backup_retention_period.
high   | CKV_K8S_16  | The container is privileged | Remove privileged.
medium | CKV_K8S_20  | The container may gain privileges | Set allowPrivilegeEscalation to false.
medium | CKV_K8S_22  | The root file system is writable | Set readOnlyRootFilesystem.
low    | CKV_K8S_11  | No CPU limit is set | Set resources.limits.cpu.
low    | CKV_K8S_13  | No memory limit is set | Set resources.limits.memory.
medium | CKV_K8S_43  | The image is not pinned by its digest | Refer to the image by its digest.
low    | CKV_K8S_8   | No liveness probe is defined | Add one.
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
  const [base = ''] = file.slice(file.lastIndexOf('/') + 1).split('.');
  const name = base.replaceAll(/-./g, (part) => part.slice(1).toUpperCase());
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
      rule_id: `${language}.security.${rule}`,
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
    rule_id: name,
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
      rule_id: rule,
    }));
}

/** Every secret that may have been committed to a file. */
export function secretsIn(file: string): Finding[] {
  return table(SECRETS).map(([rule = '', what = '', masked = ''], index) => ({
    fingerprint: fingerprintOf('gitleaks', rule, file),
    title: `${what} in ${file}`,
    severity: index < 4 ? 'critical' : 'high',
    description: describeFinding({
      what: `A secret was committed: ${what}. It stays in the history after the file is changed.`,
      facts: { Rule: rule, Location: file, Secret: masked },
      fix: 'Revoke it first, then remove it from the source.',
      references: [cweLink('CWE-798')],
    }),
    cwe: 'CWE-798',
    file,
    line: 3 + index * 7,
    source: 'gitleaks',
    rule_id: rule,
  }));
}
