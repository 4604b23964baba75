import { Page } from '../../parts/Page.tsx';

export function Mfa() {
  return <Page title="Mfa">…</Page>;
}
