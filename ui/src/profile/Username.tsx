import { useMe } from '../app/session.ts';

/** Tells password managers whose password a form asks for. */
export function Username() {
  const { user } = useMe();
  return <input type="email" autoComplete="username" value={user.email} readOnly hidden />;
}
