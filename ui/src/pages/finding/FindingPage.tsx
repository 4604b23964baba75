import { Page } from '../../parts/Page.tsx';

export function FindingPage() {
  return <Page title="FindingPage">…</Page>;
}
