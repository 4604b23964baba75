import { Page } from '../../parts/Page.tsx';

export function Scans() {
  return <Page title="Scans">…</Page>;
}
