import { Page } from '../../parts/Page.tsx';

export function ForgotPassword() {
  return <Page title="ForgotPassword">…</Page>;
}
