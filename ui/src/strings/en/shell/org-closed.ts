export const setUpMfa = 'Set up multi-factor authentication';
export const whyMfa = (org: string) =>
  `${org} requires multi-factor authentication. You can open its pages once your account has a second factor.`;
export const howToSetUp =
  'Use a passkey, an authenticator app or codes by mail. You return to this page afterwards, and nothing is lost.';
export const setUpNow = 'Set up MFA';
export const showOrganizations = 'Show your organizations';
export const networkNotAllowed = 'Your network is not allowed';
export const whyNetwork = (org: string) =>
  `${org} can be used from some networks only, and yours is none of them.`;
export const changeNetwork =
  'Connect to a network of your organization, for example by VPN. This page then continues by itself. Owners choose the networks.';
export const signInBySso = 'Sign in by single sign-on';
export const whySso = (org: string) =>
  `${org} requires a sign-in at its own provider. You return to this page afterwards.`;
export const signInNow = 'Sign in at the provider';
