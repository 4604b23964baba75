import { Avatar, Badge, Card, Group, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import type { Schemas } from '../app/api.ts';
import classes from './OrgCard.module.css';

interface Props {
  org: Schemas['Organization'];
  /** It was worked in last. */
  isLast: boolean;
  /** Left out where it cannot be opened from here. */
  href?: string;
}

/** An organization of the user's; a link to it. */
export function OrgCard({ org, isLast, href }: Props) {
  const { name, slug, role, plan } = org;
  return (
    <Card
      component="li"
      withBorder
      padding="md"
      className={classes.card}
      {...(href === undefined && { 'data-closed': true })}
    >
      <Group wrap="nowrap" align="flex-start">
        <Avatar name={name} color="indigo" radius="md" alt="" aria-hidden />
        <div className={classes.text}>
          {href === undefined ? (
            <Text fw={600} className={classes.name}>
              <bdi>{name}</bdi>
            </Text>
          ) : (
            <a
              href={href}
              className={`${classes.name} ${classes.link}`}
              // So that this host knows it, too: what is worked in may be at another.
              onClick={() => localStorage.setItem('org', slug)}
            >
              <bdi>{name}</bdi>
            </a>
          )}
          <Text size="sm" c="dimmed" truncate>
            {slug}
          </Text>
          <Group gap={6} mt="xs">
            <Badge variant="light" size="sm">
              {role}
            </Badge>
            <Badge variant="default" size="sm">
              {plan}
            </Badge>
            {isLast && (
              <Badge variant="default" size="sm" leftSection={<IconClock size={12} aria-hidden />}>
                Last used
              </Badge>
            )}
          </Group>
          {href === undefined && (
            <Text size="xs" c="dimmed" mt="xs">
              This address shows one organization only: open this one at the address of the service.
            </Text>
          )}
        </div>
      </Group>
    </Card>
  );
}
