import { Page } from '../../parts/Page.tsx';

export function ResetPassword() {
  return <Page title="ResetPassword">…</Page>;
}
