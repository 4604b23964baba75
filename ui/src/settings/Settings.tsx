import { Stack } from '@mantine/core';
import { Page } from '../components/Page.tsx';
import { OrgDueDates } from '../due-dates/OrgDueDates.tsx';
import { Features } from './Features.tsx';
import { ViewerTokens } from './ViewerTokens.tsx';

/** The settings of the organization. */
export function Settings() {
  return (
    <Page title="Settings" description="Settings that apply to the whole organization.">
      <Stack>
        <OrgDueDates />
        <Features />
        <ViewerTokens />
      </Stack>
    </Page>
  );
}
