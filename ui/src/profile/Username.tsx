import { useMe } from '../app/session.ts';

/** Tells password managers for which account a form asks for a password. */
export function Username() {
  const { user } = useMe();
  return <input type="email" autoComplete="username" value={user.email} readOnly hidden />;
}
