import { Page } from '../../parts/Page.tsx';

export function Findings() {
  return <Page title="Findings">…</Page>;
}
