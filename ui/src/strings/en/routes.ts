export const otherOrganization = 'This address belongs to another organization';
export const openAtMainAddress = (org: string) => `Open “${org}” at the main address of the service.`;
export const showOrganizations = 'Show your organizations';
export const noSignInHere = 'You cannot sign in at this address';
export const signInAt = (host: string) => `Sign in at ${host} and open your organization from there.`;
export const goTo = (host: string) => `Go to ${host}`;
