import { Alert, Text } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import { WeakPassword } from '../components/forms/WeakPassword.tsx';
import { LinkAnchor, LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
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
      <Page title="Welcome" heading={<>Welcome, {<bdi>{name}</bdi>}</>}>
        <Alert role="status" color="teal" icon={<IconMailCheck />} title="Your account is ready">
          We mailed a link to <bdi>{email}</bdi>. Open it within 24 hours to verify the address.
        </Alert>
        <WeakPassword message={message} />
        {org && (
          <Text size="sm">
            Your first organization is <b dir="auto">{org.name}</b>. You can invite others to it and join
            other organizations.
          </Text>
        )}
        <ContinueLink to={org ? site.orgUrl(org.slug) : '/'}>
          {org ? 'Open your organization' : 'Continue'}
        </ContinueLink>
      </Page>
    );
  }
  if (closed) {
    return (
      <Page title="Registration is closed">
        <Text>
          You cannot create an account at the moment. Ask an admin of your organization to invite you. The
          invitation mail contains a link to set a password.
        </Text>
        <LinkButton to="/login" search={search} variant="default">
          Sign in with an account
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page title="Create your account">
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
        Already have an account?{' '}
        <LinkAnchor to="/login" search={search} underline="always">
          Sign in
        </LinkAnchor>
      </Text>
    </Page>
  );
}
