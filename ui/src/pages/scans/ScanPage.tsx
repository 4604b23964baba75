import { Page } from '../../parts/Page.tsx';

export function ScanPage() {
  return <Page title="ScanPage">…</Page>;
}
