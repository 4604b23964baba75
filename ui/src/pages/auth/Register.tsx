import { Page } from '../../parts/Page.tsx';

export function Register() {
  return <Page title="Register">…</Page>;
}
