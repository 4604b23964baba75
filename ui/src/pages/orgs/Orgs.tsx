import { Page } from '../../parts/Page.tsx';

export function Orgs() {
  return <Page title="Orgs">…</Page>;
}
