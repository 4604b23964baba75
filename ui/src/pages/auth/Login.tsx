import { Page } from '../../parts/Page.tsx';

export function Login() {
  return <Page title="Login">…</Page>;
}
