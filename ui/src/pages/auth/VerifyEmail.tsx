import { Page } from '../../parts/Page.tsx';

export function VerifyEmail() {
  return <Page title="VerifyEmail">…</Page>;
}
