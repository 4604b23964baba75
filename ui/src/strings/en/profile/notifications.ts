export const tab = 'Notifications';
export const title = 'Mails about findings';
export const what = (address: string) =>
  `Choose what you get mails about. They go to ${address}, and cover the projects that you reach in all of your organizations. You get no mail about what you do yourself.`;
export const unverified = 'Your primary address is not verified. Mails are sent once it is.';
export const kinds = {
  assigned: 'A finding is assigned to you',
  mentioned: 'A comment mentions you',
  new_critical: 'A scan finds new critical findings',
  regressed: 'Fixed findings are found again',
  scan_failed: 'A scan fails',
  due_soon: 'A finding assigned to you is due within three days, or overdue',
  token_expiring: 'An access token expires within seven days',
};
export const times = { now: 'At once', daily: 'Daily', weekly: 'Weekly', off: 'Off' };
export const timeZone = 'Time zone';
export const unknownTimeZone = 'Choose a time zone from the list';
export const hour = 'Daily and weekly mails at';
export const weeklyOnMondays = 'Weekly mails are sent on Mondays.';
export const save = 'Save';
export const saved = 'Notifications saved';

export const unsubscribeAsk = 'Switch these mails off?';
export const unsubscribeWhat =
  'Mails like the one that you came from are no longer sent then. You can choose them again in your profile, under “Notifications”.';
export const unsubscribe = 'Switch off';
export const unsubscribed = 'These mails are off';
export const chooseAgain = 'You can choose them again in your profile, under “Notifications”.';
export const openNotifications = 'Open notifications';
export const linkInvalid = 'This link does not work';
export const linkIncomplete = 'Open the link in the mail again, or choose your mails in your profile.';
