import { Page } from '../../parts/Page.tsx';

export function Emails() {
  return <Page title="Emails">…</Page>;
}
