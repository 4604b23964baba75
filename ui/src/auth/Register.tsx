import { Alert, Text } from '@mantine/core';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/auth.tsx';
import { WeakPassword } from '../components/forms/WeakPassword.tsx';
import { LinkAnchor, LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { IconMailCheck } from '../icons/icons.ts';
import { ContinueLink } from './ContinueLink.tsx';
import { type Registered, RegisterForm } from './RegisterForm.tsx';
import { closedRegistration } from './return-to.ts';

const route = getRouteApi('/_public/register');

/** Creates an account with its first organization. */
export function Register() {
  const search = route.useSearch();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const [registered, setRegistered] = useState<Registered>();
  const [closed, setClosed] = useState(false);

  if (registered) {
    const { name, email, org, message } = registered;
    return (
      <Page title={text.welcome} heading={text.welcomeName(<bdi>{name}</bdi>)}>
        <Alert role="status" color="teal" icon={<IconMailCheck />} title={text.accountReady}>
          {text.mailedVerification(<bdi>{email}</bdi>)}
        </Alert>
        <WeakPassword message={message} />
        {org && <Text size="sm">{text.firstOrganization(<b dir="auto">{org.name}</b>)}</Text>}
        <ContinueLink to={org ? site.orgUrl(org.slug) : '/'}>
          {org ? text.openOrganization : text.continueHere}
        </ContinueLink>
      </Page>
    );
  }
  if (closed) {
    return (
      <Page title={text.registrationClosed}>
        <Text>{text.askForInvitation}</Text>
        <LinkButton to="/login" search={search} variant="default">
          {text.signInWithAccount}
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page title={text.createYourAccount}>
      <RegisterForm
        email={search.email ?? ''}
        onDone={(made) => {
          closedRegistration.forget();
          setRegistered(made);
        }}
        onClosed={() => {
          closedRegistration.remember();
          setClosed(true);
        }}
      />
      <Text size="sm" ta="center">
        {text.haveAccount((label) => (
          <LinkAnchor to="/login" search={search} underline="always">
            {label}
          </LinkAnchor>
        ))}
      </Text>
    </Page>
  );
}
