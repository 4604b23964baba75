import { Page } from '../../parts/Page.tsx';

export function NewOrg() {
  return <Page title="NewOrg">…</Page>;
}
