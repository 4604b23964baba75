export const sessionEnded = 'Your session has ended';
export const signInInNewWindow =
  'Sign in again in a new window, then return to this page. Your input is kept.';
export const notSignedInYet = 'You are not signed in yet.';
export const leavePage = 'Leave this page';
export const continueHere = 'I have signed in';
export const signIn = 'Sign in';
