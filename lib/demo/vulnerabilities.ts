import type { Finding } from '../importers/finding.ts';
import { fingerprintOf } from '../importers/identity/identity.ts';
import { upgrade, vulnerabilityTitle } from '../importers/kinds/dependency.ts';
import { cvssOf, severityOfScore } from '../importers/support.ts';
import { describeFinding } from '../importers/text/markdown.ts';

/** Published vulnerabilities: CVE, package, version in use, fixed version, weakness, CVSS 3.1, summary. */
const PUBLISHED = {
  npm: `
CVE-2020-8203  | lodash | 4.17.15 | 4.17.19 | CWE-1321 | AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:H/A:H | Prototype pollution in zipObjectDeep
CVE-2021-23337 | lodash | 4.17.15 | 4.17.21 | CWE-94 | AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H | Command injection in template
CVE-2021-44906 | minimist | 1.2.5 | 1.2.6 | CWE-1321 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Prototype pollution in setKey
CVE-2021-3807  | ansi-regex | 5.0.0 | 5.0.1 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Regular expression denial of service
CVE-2022-46175 | json5 | 2.2.1 | 2.2.2 | CWE-1321 | AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H | Prototype pollution in parse
CVE-2022-25883 | semver | 7.3.7 | 7.5.2 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Regular expression denial of service in new Range
CVE-2022-24999 | qs | 6.7.0 | 6.7.3 | CWE-1321 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Prototype poisoning hangs the process
CVE-2024-29041 | express | 4.17.1 | 4.19.2 | CWE-601 | AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N | Open redirect through malformed URLs
CVE-2021-3749  | axios | 0.21.1 | 0.21.2 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Regular expression denial of service in trim
CVE-2023-45857 | axios | 1.5.0 | 1.6.0 | CWE-352 | AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:N/A:N | XSRF token is sent to any host
CVE-2022-0155  | follow-redirects | 1.14.6 | 1.14.7 | CWE-359 | AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:N/A:N | Cookies are sent to another host
CVE-2023-26136 | tough-cookie | 4.1.2 | 4.1.3 | CWE-1321 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Prototype pollution in the memory cookie store
CVE-2023-26115 | word-wrap | 1.2.3 | 1.2.4 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Regular expression denial of service
CVE-2024-4068  | braces | 3.0.2 | 3.0.3 | CWE-1050 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Unbalanced braces exhaust memory
CVE-2024-21538 | cross-spawn | 7.0.3 | 7.0.5 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Regular expression denial of service
CVE-2024-37890 | ws | 8.16.0 | 8.17.1 | CWE-476 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | A request with many headers crashes the server
CVE-2024-45296 | path-to-regexp | 0.1.7 | 0.1.10 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Patterns with catastrophic backtracking
CVE-2024-45590 | body-parser | 1.20.2 | 1.20.3 | CWE-405 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Denial of service with URL-encoded bodies
CVE-2021-3803  | nth-check | 1.0.2 | 2.0.1 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Regular expression denial of service
CVE-2023-44270 | postcss | 8.4.30 | 8.4.31 | CWE-74 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:N | Line breaks are parsed incorrectly
CVE-2022-37601 | loader-utils | 2.0.2 | 2.0.3 | CWE-1321 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Prototype pollution in parseQuery
CVE-2022-31129 | moment | 2.29.3 | 2.29.4 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Denial of service with long dates
CVE-2024-4067  | micromatch | 4.0.5 | 4.0.8 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L | Patterns with catastrophic backtracking`,
  pypi: `
CVE-2023-32681 | requests | 2.28.2 | 2.31.0 | CWE-200 | AV:N/AC:H/PR:N/UI:R/S:C/C:H/I:N/A:N | Proxy-Authorization is sent to the destination
CVE-2023-43804 | urllib3 | 1.26.15 | 1.26.17 | CWE-200 | AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:N | Cookies follow a redirect to another host
CVE-2024-37891 | urllib3 | 1.26.15 | 1.26.19 | CWE-669 | AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:N/A:N | Proxy-Authorization follows a redirect
CVE-2024-22195 | Jinja2 | 3.1.2 | 3.1.3 | CWE-79 | AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N | xmlattr accepts keys with spaces
CVE-2023-30861 | Flask | 2.2.4 | 2.2.5 | CWE-539 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N | Proxies can cache session cookies
CVE-2023-25577 | Werkzeug | 2.2.2 | 2.2.3 | CWE-770 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Forms with many parts exhaust memory
CVE-2024-34069 | Werkzeug | 2.2.2 | 3.0.3 | CWE-352 | AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:H/A:H | Another site can run code in the debugger
CVE-2023-0286  | cryptography | 38.0.4 | 39.0.1 | CWE-843 | AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:H | Type confusion in the bundled OpenSSL
CVE-2023-37920 | certifi | 2022.12.7 | 2023.7.22 | CWE-345 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Root certificates of e-Tugra are trusted
CVE-2020-14343 | PyYAML | 5.3.1 | 5.4 | CWE-20 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Code execution in full_load
CVE-2023-36053 | Django | 4.2.2 | 4.2.3 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Denial of service in EmailValidator with long addresses
CVE-2023-50447 | Pillow | 9.5.0 | 10.2.0 | CWE-94 | AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H | Code execution in ImageMath.eval
CVE-2024-6345  | setuptools | 65.5.0 | 70.0.0 | CWE-94 | AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H | Code execution in download functions
CVE-2024-23334 | aiohttp | 3.9.1 | 3.9.2 | CWE-22 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N | Path traversal in static routes
CVE-2024-3651  | idna | 3.4 | 3.7 | CWE-1333 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Denial of service in encode with long names`,
  go: `
CVE-2023-39325 | golang.org/x/net | 0.7.0 | 0.17.0 | CWE-770 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | HTTP/2 rapid reset exhausts the server
CVE-2023-48795 | golang.org/x/crypto | 0.14.0 | 0.17.0 | CWE-354 | AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:H/A:N | Terrapin: an attacker can truncate the SSH handshake
CVE-2024-45337 | golang.org/x/crypto | 0.14.0 | 0.31.0 | CWE-863 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N | Misuse of PublicKeyCallback grants access
CVE-2024-24786 | google.golang.org/protobuf | 1.30.0 | 1.33.0 | CWE-835 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Infinite loop in protojson.Unmarshal
CVE-2023-44487 | google.golang.org/grpc | 1.53.0 | 1.56.3 | CWE-400 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | HTTP/2 rapid reset
CVE-2025-30204 | github.com/golang-jwt/jwt/v4 | 4.4.2 | 4.5.2 | CWE-405 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Many dots in a header exhaust memory
CVE-2022-28948 | gopkg.in/yaml.v3 | 3.0.0 | 3.0.1 | CWE-502 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Unmarshal panics
CVE-2022-32149 | golang.org/x/text | 0.3.7 | 0.3.8 | CWE-772 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Denial of service in ParseAcceptLanguage`,
  maven: `
CVE-2021-44228 | org.apache.logging.log4j:log4j-core | 2.14.1 | 2.15.0 | CWE-917 | AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H | Log4Shell: lookups in log messages run code
CVE-2021-45046 | org.apache.logging.log4j:log4j-core | 2.14.1 | 2.16.0 | CWE-917 | AV:N/AC:H/PR:N/UI:N/S:C/C:H/I:H/A:H | Lookups in the thread context run code
CVE-2021-45105 | org.apache.logging.log4j:log4j-core | 2.14.1 | 2.17.0 | CWE-674 | AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:H | Infinite recursion with self-referencing lookups
CVE-2022-22965 | org.springframework:spring-beans | 5.3.17 | 5.3.18 | CWE-94 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Spring4Shell: data binding runs code
CVE-2022-42889 | org.apache.commons:commons-text | 1.9 | 1.10.0 | CWE-94 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Interpolation runs code
CVE-2022-1471  | org.yaml:snakeyaml | 1.30 | 2.0 | CWE-502 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Constructor creates objects of any class
CVE-2022-25857 | org.yaml:snakeyaml | 1.30 | 1.31 | CWE-776 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Nesting of collections is not limited
CVE-2020-36518 | com.fasterxml.jackson.core:jackson-databind | 2.13.2 | 2.13.2.1 | CWE-787 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Deep nesting overflows the stack
CVE-2021-42392 | com.h2database:h2 | 2.0.204 | 2.0.206 | CWE-502 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | The console loads classes through JNDI
CVE-2024-1597  | org.postgresql:postgresql | 42.5.0 | 42.5.5 | CWE-89 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | SQL injection with preferQueryMode=simple
CVE-2023-2976  | com.google.guava:guava | 31.1-jre | 32.0.0-jre | CWE-552 | AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:N | Other users can read temporary files
CVE-2023-24998 | org.apache.tomcat.embed:tomcat-embed-core | 9.0.68 | 9.0.71 | CWE-770 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | The number of upload parts is not limited`,
  debian: `
CVE-2022-0778  | openssl | 1.1.1k-1 | 1.1.1k-1+deb11u2 | CWE-835 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Infinite loop with invalid curve parameters
CVE-2023-0286  | openssl | 1.1.1k-1 | 1.1.1n-0+deb11u4 | CWE-843 | AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:H | X.400 address type confusion
CVE-2022-40674 | libexpat1 | 2.2.10-2 | 2.2.10-2+deb11u5 | CWE-416 | AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H | Use after free in doContent
CVE-2023-52425 | libexpat1 | 2.2.10-2 | | CWE-400 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Large tokens are parsed repeatedly
CVE-2022-37434 | zlib1g | 1:1.2.11.dfsg-2 | 1:1.2.11.dfsg-2+deb11u2 | CWE-787 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | Heap overflow with a large extra field
CVE-2018-25032 | zlib1g | 1:1.2.11.dfsg-2 | 1:1.2.11.dfsg-2+deb11u1 | CWE-787 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Memory corruption when deflating
CVE-2023-38545 | curl | 7.74.0-1.3 | | CWE-787 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H | SOCKS5 heap overflow
CVE-2023-4911  | libc6 | 2.36-9 | 2.36-9+deb12u3 | CWE-787 | AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H | Looney Tunables: GLIBC_TUNABLES overflow
CVE-2023-6246  | libc6 | 2.36-9 | 2.36-9+deb12u4 | CWE-787 | AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H | Heap overflow in syslog
CVE-2023-4863  | libwebp7 | 1.2.4-0.1 | 1.2.4-0.2+deb12u1 | CWE-787 | AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H | Heap overflow in lossless images
CVE-2022-1271  | liblzma5 | 5.2.5-2 | 5.2.5-2.1~deb11u1 | CWE-20 | AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H | xzgrep can overwrite any file
CVE-2023-0361  | libgnutls30 | 3.7.1-5 | 3.7.1-5+deb11u3 | CWE-203 | AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N | Timing side channel in the RSA key exchange
CVE-2021-46848 | libtasn1-6 | 4.16.0-2 | 4.16.0-2+deb11u1 | CWE-193 | AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:H | Off-by-one error in encoding
CVE-2022-3715  | bash | 5.1-2 | | CWE-787 | AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H | Heap overflow in valid_parameter_transform
CVE-2023-29491 | libncurses6 | 6.2+20201114-2 | 6.2+20201114-2+deb11u2 | CWE-787 | AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H | Memory corruption with crafted terminfo files
CVE-2022-40303 | libxml2 | 2.9.10+dfsg-6.7 | 2.9.10+dfsg-6.7+deb11u3 | CWE-190 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | Integer overflow with XML_PARSE_HUGE
CVE-2023-44487 | libnghttp2-14 | 1.43.0-1 | 1.43.0-1+deb11u1 | CWE-400 | AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H | HTTP/2 rapid reset
CVE-2023-31484 | perl | 5.32.1-4 | 5.32.1-4+deb11u3 | CWE-295 | AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H | CPAN does not check certificates
CVE-2023-7104  | libsqlite3-0 | 3.34.1-3 | | CWE-122 | AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L | Heap overflow in the session extension
CVE-2022-48303 | tar | 1.34+dfsg-1 | | CWE-125 | AV:L/AC:L/PR:N/UI:R/S:U/C:N/I:N/A:H | Out-of-bounds read of one byte in V7 archives
CVE-2024-22365 | libpam0g | 1.4.0-9 | | CWE-664 | AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:H | mkfifo in a namespace blocks logins of other users`,
};

export type Ecosystem = keyof typeof PUBLISHED;

const rows = (ecosystem: Ecosystem) =>
  PUBLISHED[ecosystem]
    .trim()
    .split('\n')
    .map(
      (line) =>
        line.split('|').map((cell) => cell.trim()) as [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ],
    );

/** The vulnerabilities of an ecosystem's packages, as a scanner finds them in a manifest or an image. */
export function vulnerabilities(ecosystem: Ecosystem, scanner: string, where: string): Finding[] {
  return rows(ecosystem).map(([cve, name, version, fixed, cwe, base, summary]) => {
    const cvss = cvssOf(`CVSS:3.1/${base}`);
    return {
      fingerprint: fingerprintOf(scanner, where, name, cve),
      title: vulnerabilityTitle(cve, name, version, summary),
      severity: severityOfScore(cvss?.score, 'info'),
      description: describeFinding({
        what: `${summary}.`,
        facts: { Package: `${name} ${version}`, Ecosystem: ecosystem, Location: where },
        fix: upgrade(name, [fixed]),
        references: [`https://nvd.nist.gov/vuln/detail/${cve}`],
      }),
      cwe,
      cve,
      cvss_score: cvss?.score,
      cvss_vector: cvss?.vector,
      file: where,
      source: scanner,
      rule_id: cve,
    };
  });
}
