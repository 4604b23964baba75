export const confirmIdentity = 'Confirm your identity';
export const enterPassword =
  'You signed in more than 10 minutes ago. Enter your password again to change e-mail addresses or second factors.';
export const enterPasswordAndCode =
  'You signed in more than 10 minutes ago. Enter your password and a code again to change e-mail addresses or second factors.';
export const yourPassword = 'Your password';
export const wrongPassword = 'The password is wrong';
export const recoveryCode = 'Recovery code';
export const whichRecoveryCode =
  'One of the eight codes that you received when you turned on MFA. Each code works once.';
export const wrongCode = 'The code is wrong or was already used.';
export const formOfRecoveryCode = 'xxxx-xxxx-xxxx-xxxx-xxxx-xxxx';
export const sixDigitCode = 'Six-digit code';
export const enterCodeOf = (app: string) => `Enter the code that the app “${app}” shows.`;
export const cancel = 'Cancel';
export const confirm = 'Confirm';
export const otherMethod = 'Use another method';
export const chooseMethod = 'Choose how to get a code.';
