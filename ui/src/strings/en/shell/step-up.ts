export const confirmIdentity = 'Confirm your identity';
export const enterPassword = 'Your sign-in is too old for this. Enter your password to continue.';
export const enterPasswordAndCode =
  'Your sign-in is too old for this. Enter your password and a code to continue.';
export const signInAgainAt = (provider: string) => `Sign in again at ${provider}`;
export const leavesPage =
  'Your sign-in is too old for this. Sign in again, then repeat what you did on this page.';
export const yourPassword = 'Your password';
export const wrongPassword = 'The password is wrong';
export const enterCodeOf = (app: string) => `Enter the code that the app “${app}” shows.`;
export const confirm = 'Confirm';
