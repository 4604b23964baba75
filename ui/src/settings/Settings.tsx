import { Stack } from '@mantine/core';
import * as text from '#strings/settings.ts';
import { Page } from '../components/Page.tsx';
import { DeleteOrg } from '../deletion/DeleteOrg.tsx';
import { OrgDueDates } from '../due-dates/OrgDueDates.tsx';
import { OrgRetention } from '../retention/OrgRetention.tsx';
import { Features } from './Features.tsx';
import { OrgName } from './OrgName.tsx';
import { OrgSlug } from './OrgSlug.tsx';
import { ViewerTokens } from './ViewerTokens.tsx';

/** The settings of the organization. */
export function Settings() {
  return (
    <Page title={text.settings} description={text.whatSettingsApplyTo}>
      <Stack>
        <OrgName />
        <OrgSlug />
        <OrgDueDates />
        <OrgRetention />
        <Features />
        <ViewerTokens />
        <DeleteOrg />
      </Stack>
    </Page>
  );
}
