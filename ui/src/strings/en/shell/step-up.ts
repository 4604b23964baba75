export const confirmIdentity = 'Confirm your identity';
export const enterPassword =
  'You signed in more than 10 minutes ago. Enter your password again to change e-mail addresses or second factors.';
export const enterPasswordAndCode =
  'You signed in more than 10 minutes ago. Enter your password and a code again to change e-mail addresses or second factors.';
export const yourPassword = 'Your password';
export const wrongPassword = 'The password is wrong';
export const enterCodeOf = (app: string) => `Enter the code that the app “${app}” shows.`;
export const confirm = 'Confirm';
