import { Stack } from '@mantine/core';
import * as text from '#strings/settings.ts';
import { Page } from '../components/Page.tsx';
import { OrgDueDates } from '../due-dates/OrgDueDates.tsx';
import { Features } from './Features.tsx';
import { ViewerTokens } from './ViewerTokens.tsx';

/** The settings of the organization. */
export function Settings() {
  return (
    <Page title={text.settings} description={text.whatSettingsApplyTo}>
      <Stack>
        <OrgDueDates />
        <Features />
        <ViewerTokens />
      </Stack>
    </Page>
  );
}
