/** The address of a sign-in at a provider. The page that it leads to afterwards is of this site. */
export function startUrl(query: Record<string, string>, returnTo: string | undefined): string {
  const parameters = new URLSearchParams(query);
  if (returnTo !== undefined) parameters.set('return_to', `/login?return_to=${encodeURIComponent(returnTo)}`);
  return `/api/v1/auth/sso/start?${parameters}`;
}
