/** The name of each value of a metric, and its meaning where the name is not enough. */
type Values = Record<string, string | readonly [name: string, meaning: string]>;

/** A metric of a version of CVSS, with its values. */
export interface Metric {
  name: string;
  values: Values;
}

type Metrics = Record<string, Metric>;

const metric = (name: string, values: Values): Metric => ({ name, values });

const NETWORK = ['Network', 'remotely exploitable, for example over the internet'] as const;
const ADJACENT = ['Adjacent', 'exploitable from the same network only, such as Wi-Fi or a VPN'] as const;
const LOCAL = ['Local', 'requires access to the machine, or a file that a user opens'] as const;
const PHYSICAL = ['Physical', 'requires physical access to the device'] as const;
const NO_PRIVILEGES = ['None', 'no account is needed'] as const;
const LOW_PRIVILEGES = ['Low', 'a regular user account is needed'] as const;
const HIGH_PRIVILEGES = ['High', 'an administrator account is needed'] as const;
const NOT_DEFINED = { X: 'Not defined' };

const level = (what: string): Values => ({
  H: ['High', `complete loss of ${what}, or loss for critical data`],
  L: ['Low', `partial loss of ${what}`],
  N: ['None', `no effect on ${what}`],
});
const confidentiality = level('confidentiality');
const integrity = level('integrity');
const availability = level('availability');
const requirement = { ...NOT_DEFINED, H: 'High', M: 'Medium', L: 'Low' };

/** The same metrics, modified for the environment of the user. */
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
    L: ['Low', 'no special conditions are needed'],
    H: ['High', 'depends on conditions outside the attacker’s control'],
  }),
  PR: metric('Privileges required', { N: NO_PRIVILEGES, L: LOW_PRIVILEGES, H: HIGH_PRIVILEGES }),
  UI: metric('User interaction', {
    N: ['None', 'no action by a user is needed'],
    R: ['Required', 'a user must act, for example open a link'],
  }),
  S: metric('Scope', {
    U: ['Unchanged', 'affects only the vulnerable component'],
    C: ['Changed', 'affects other components too'],
  }),
  C: metric('Confidentiality', confidentiality),
  I: metric('Integrity', integrity),
  A: metric('Availability', availability),
};

const METRICS_3: Metrics = {
  ...BASE_3,
  E: metric('Exploit code maturity', {
    ...NOT_DEFINED,
    H: ['High', 'works everywhere or is automated'],
    F: ['Functional', 'works in most situations'],
    P: ['Proof of concept', 'not practical on most systems'],
    U: ['Unproven', 'no exploit is known'],
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
    L: ['Low', 'no protection must be bypassed'],
    H: ['High', 'protections must be bypassed first'],
  }),
  AT: metric('Attack requirements', {
    N: ['None', 'works on every deployment'],
    P: ['Present', 'requires a specific configuration or a race condition'],
  }),
  PR: metric('Privileges required', { N: NO_PRIVILEGES, L: LOW_PRIVILEGES, H: HIGH_PRIVILEGES }),
  UI: metric('User interaction', {
    N: ['None', 'no action by a user is needed'],
    P: ['Passive', 'normal use by a user is enough'],
    A: ['Active', 'a user must act, for example ignore a warning'],
  }),
  VC: metric('Confidentiality, vulnerable system', confidentiality),
  VI: metric('Integrity, vulnerable system', integrity),
  VA: metric('Availability, vulnerable system', availability),
  SC: metric('Confidentiality, subsequent systems', confidentiality),
  SI: metric('Integrity, subsequent systems', integrity),
  SA: metric('Availability, subsequent systems', availability),
};

const safety = (values: Values): Values => ({ ...values, S: ['Safety', 'people can be harmed'] });
const MODIFIED_4 = modified(BASE_4);

const METRICS_4: Metrics = {
  ...BASE_4,
  E: metric('Exploit maturity', {
    ...NOT_DEFINED,
    A: ['Attacked', 'attacks are known'],
    P: ['Proof of concept', 'code exists, no attacks are known'],
    U: ['Unreported', 'no exploit and no attack is known'],
  }),
  ...requirements(requirement),
  ...MODIFIED_4,
  MSI: metric('Integrity, subsequent systems, modified', safety({ ...NOT_DEFINED, ...integrity })),
  MSA: metric('Availability, subsequent systems, modified', safety({ ...NOT_DEFINED, ...availability })),
  S: metric('Safety', { ...NOT_DEFINED, N: 'Negligible', P: ['Present', 'people can be harmed'] }),
  AU: metric('Automatable', {
    ...NOT_DEFINED,
    N: 'No',
    Y: ['Yes', 'attacks on many targets can be automated'],
  }),
  R: metric('Recovery', {
    ...NOT_DEFINED,
    A: ['Automatic', 'without intervention'],
    U: ['User', 'requires manual intervention'],
    I: 'Irrecoverable',
  }),
  V: metric('Value density', { ...NOT_DEFINED, D: 'Diffuse', C: 'Concentrated' }),
  RE: metric('Response effort', { ...NOT_DEFINED, L: 'Low', M: 'Moderate', H: 'High' }),
  U: metric('Provider urgency', {
    ...NOT_DEFINED,
    Clear: 'Clear',
    Green: 'Green',
    Amber: 'Amber',
    Red: 'Red',
  }),
};

const loss = (what: string): Values => ({
  N: ['None', `no effect on ${what}`],
  P: ['Partial', `partial loss of ${what}`],
  C: ['Complete', `complete loss of ${what}`],
});
const requirement2 = { ND: 'Not defined', L: 'Low', M: 'Medium', H: 'High' };

const METRICS_2: Metrics = {
  AV: metric('Access vector', { N: NETWORK, A: ADJACENT, L: LOCAL }),
  AC: metric('Access complexity', {
    L: ['Low', 'no special conditions are needed'],
    M: ['Medium', 'some special conditions are needed'],
    H: ['High', 'rare conditions are needed'],
  }),
  Au: metric('Authentication', {
    N: NO_PRIVILEGES,
    S: ['Single', 'after one sign-in'],
    M: ['Multiple', 'after two or more sign-ins'],
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
