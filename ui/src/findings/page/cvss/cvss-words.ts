/** What a value of a metric is called, and what it says where the name does not. */
type Values = Record<string, string | readonly [name: string, meaning: string]>;

/** A metric of a version of CVSS, with its values. */
export interface Metric {
  name: string;
  values: Values;
}

type Metrics = Record<string, Metric>;

const metric = (name: string, values: Values): Metric => ({ name, values });

const NETWORK = ['Network', 'can be attacked from afar, such as over the internet'] as const;
const ADJACENT = ['Adjacent', 'from the same network only, such as Wi-Fi or a VPN'] as const;
const LOCAL = ['Local', 'takes access to the machine, or a file that a user opens'] as const;
const PHYSICAL = ['Physical', 'the attacker has to touch the device'] as const;
const NO_PRIVILEGES = ['None', 'without an account'] as const;
const LOW_PRIVILEGES = ['Low', 'with the account of a usual user'] as const;
const HIGH_PRIVILEGES = ['High', 'with the account of an administrator'] as const;
const NOT_DEFINED = { X: 'Not defined' };

const level = (what: string): Values => ({
  H: ['High', `${what} is lost altogether, or where it matters most`],
  L: ['Low', `some of ${what.toLowerCase()} is lost`],
  N: ['None', `${what.toLowerCase()} is not affected`],
});
const secrecy = level('Confidentiality');
const integrity = level('Integrity');
const availability = level('Availability');
const requirement = { ...NOT_DEFINED, H: 'High', M: 'Medium', L: 'Low' };

/** The metrics of the same meaning in the environment at hand. */
const modified = (metrics: Metrics): Metrics =>
  Object.fromEntries(
    Object.entries(metrics).map(([code, { name, values }]) => [
      `M${code}`,
      metric(`${name}, modified`, { ...NOT_DEFINED, ...values }),
    ]),
  );

const requirements = (values: Values): Metrics => ({
  CR: metric('Confidentiality requirement', values),
  IR: metric('Integrity requirement', values),
  AR: metric('Availability requirement', values),
});

const BASE_3: Metrics = {
  AV: metric('Attack vector', { N: NETWORK, A: ADJACENT, L: LOCAL, P: PHYSICAL }),
  AC: metric('Attack complexity', {
    L: ['Low', 'works every time'],
    H: ['High', 'depends on what the attacker does not control'],
  }),
  PR: metric('Privileges required', { N: NO_PRIVILEGES, L: LOW_PRIVILEGES, H: HIGH_PRIVILEGES }),
  UI: metric('User interaction', {
    N: ['None', 'nobody has to do anything'],
    R: ['Required', 'a user has to do something, such as open a link'],
  }),
  S: metric('Scope', {
    U: ['Unchanged', 'affects the vulnerable component only'],
    C: ['Changed', 'affects what is beyond the vulnerable component'],
  }),
  C: metric('Confidentiality', secrecy),
  I: metric('Integrity', integrity),
  A: metric('Availability', availability),
};

const METRICS_3: Metrics = {
  ...BASE_3,
  E: metric('Exploit code maturity', {
    ...NOT_DEFINED,
    H: ['High', 'works everywhere, or is automated'],
    F: ['Functional', 'works in most situations'],
    P: ['Proof of concept', 'not practical yet'],
    U: ['Unproven', 'none is known'],
  }),
  RL: metric('Remediation level', {
    ...NOT_DEFINED,
    U: 'Unavailable',
    W: 'Workaround',
    T: 'Temporary fix',
    O: 'Official fix',
  }),
  RC: metric('Report confidence', { ...NOT_DEFINED, C: 'Confirmed', R: 'Reasonable', U: 'Unknown' }),
  ...requirements(requirement),
  ...modified(BASE_3),
};

const BASE_4: Metrics = {
  AV: metric('Attack vector', { N: NETWORK, A: ADJACENT, L: LOCAL, P: PHYSICAL }),
  AC: metric('Attack complexity', {
    L: ['Low', 'nothing has to be evaded'],
    H: ['High', 'defences have to be evaded first'],
  }),
  AT: metric('Attack requirements', {
    N: ['None', 'works on every deployment'],
    P: ['Present', 'takes a certain configuration, or a race that is won'],
  }),
  PR: metric('Privileges required', { N: NO_PRIVILEGES, L: LOW_PRIVILEGES, H: HIGH_PRIVILEGES }),
  UI: metric('User interaction', {
    N: ['None', 'nobody has to do anything'],
    P: ['Passive', 'a user does what they usually do'],
    A: ['Active', 'a user has to act against better advice'],
  }),
  VC: metric('Confidentiality, vulnerable system', secrecy),
  VI: metric('Integrity, vulnerable system', integrity),
  VA: metric('Availability, vulnerable system', availability),
  SC: metric('Confidentiality, systems beyond', secrecy),
  SI: metric('Integrity, systems beyond', integrity),
  SA: metric('Availability, systems beyond', availability),
};

const safety = (values: Values): Values => ({ ...values, S: ['Safety', 'people can be harmed'] });
const MODIFIED_4 = modified(BASE_4);

const METRICS_4: Metrics = {
  ...BASE_4,
  E: metric('Exploit maturity', {
    ...NOT_DEFINED,
    A: ['Attacked', 'attacks are known'],
    P: ['Proof of concept', 'code exists, attacks are not known'],
    U: ['Unreported', 'neither is known'],
  }),
  ...requirements(requirement),
  ...MODIFIED_4,
  MSI: metric('Integrity, systems beyond, modified', safety({ ...NOT_DEFINED, ...integrity })),
  MSA: metric('Availability, systems beyond, modified', safety({ ...NOT_DEFINED, ...availability })),
  S: metric('Safety', { ...NOT_DEFINED, N: 'Negligible', P: ['Present', 'people can be harmed'] }),
  AU: metric('Automatable', { ...NOT_DEFINED, N: 'No', Y: ['Yes', 'many targets at once'] }),
  R: metric('Recovery', {
    ...NOT_DEFINED,
    A: ['Automatic', 'by itself'],
    U: ['User', 'by hand'],
    I: 'Irrecoverable',
  }),
  V: metric('Value density', { ...NOT_DEFINED, D: 'Diffuse', C: 'Concentrated' }),
  RE: metric('Response effort', { ...NOT_DEFINED, L: 'Low', M: 'Moderate', H: 'High' }),
  U: metric('Urgency, by the provider', {
    ...NOT_DEFINED,
    Clear: 'Clear',
    Green: 'Green',
    Amber: 'Amber',
    Red: 'Red',
  }),
};

const loss = (what: string): Values => ({
  N: ['None', `${what} is not affected`],
  P: ['Partial', `some of ${what} is lost`],
  C: ['Complete', `${what} is lost altogether`],
});
const requirement2 = { ND: 'Not defined', L: 'Low', M: 'Medium', H: 'High' };

const METRICS_2: Metrics = {
  AV: metric('Access vector', { N: NETWORK, A: ADJACENT, L: LOCAL }),
  AC: metric('Access complexity', {
    L: ['Low', 'works every time'],
    M: ['Medium', 'takes somewhat special conditions'],
    H: ['High', 'takes rare conditions'],
  }),
  Au: metric('Authentication', {
    N: NO_PRIVILEGES,
    S: ['Single', 'after signing in'],
    M: ['Multiple', 'after signing in twice or more'],
  }),
  C: metric('Confidentiality', loss('confidentiality')),
  I: metric('Integrity', loss('integrity')),
  A: metric('Availability', loss('availability')),
  E: metric('Exploitability', {
    ND: 'Not defined',
    U: 'Unproven',
    POC: 'Proof of concept',
    F: 'Functional',
    H: 'High',
  }),
  RL: metric('Remediation level', {
    ND: 'Not defined',
    OF: 'Official fix',
    TF: 'Temporary fix',
    W: 'Workaround',
    U: 'Unavailable',
  }),
  RC: metric('Report confidence', {
    ND: 'Not defined',
    UC: 'Unconfirmed',
    UR: 'Uncorroborated',
    C: 'Confirmed',
  }),
  CDP: metric('Collateral damage', {
    ND: 'Not defined',
    N: 'None',
    L: 'Low',
    LM: 'Low to medium',
    MH: 'Medium to high',
    H: 'High',
  }),
  TD: metric('Target distribution', {
    ND: 'Not defined',
    N: 'None',
    L: 'Low',
    M: 'Medium',
    H: 'High',
  }),
  ...requirements(requirement2),
};

/** The metrics by version. */
export const METRICS = { '2.0': METRICS_2, '3.0': METRICS_3, '3.1': METRICS_3, '4.0': METRICS_4 } as const;
