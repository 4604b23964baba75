import { Page } from '../../parts/Page.tsx';

export function Tokens() {
  return <Page title="Tokens">…</Page>;
}
