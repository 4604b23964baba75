import { Page } from '../../parts/Page.tsx';

export function Sessions() {
  return <Page title="Sessions">…</Page>;
}
