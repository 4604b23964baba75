export const setUpMfa = 'Set up multi-factor authentication';
export const whyMfa = (org: string) =>
  `${org} requires multi-factor authentication. You can open its pages once your account has a second factor.`;
export const howToSetUp =
  'Use an authenticator app or a code by mail. You return to this page afterwards, and nothing is lost.';
export const setUpNow = 'Set up MFA';
export const showOrganizations = 'Show your organizations';
