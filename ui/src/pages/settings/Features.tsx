import { Page } from '../../parts/Page.tsx';

export function Features() {
  return <Page title="Features">…</Page>;
}
