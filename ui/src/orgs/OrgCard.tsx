import { Avatar, Badge, Card, Group, Text } from '@mantine/core';
import * as text from '#strings/orgs.ts';
import type { Schemas } from '../app/api.ts';
import { IconClock } from '../icons/icons.ts';
import classes from './OrgCard.module.css';

interface Props {
  org: Schemas['Organization'];
  /** The organization was used last. */
  isLast: boolean;
  /** Omitted if the organization cannot be opened from this host. */
  href?: string;
}

/** An organization of the user, as a link. */
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
              // The organization may be at another host, with its own storage.
              onClick={() => localStorage.setItem('org', slug)}
            >
              <bdi>{name}</bdi>
            </a>
          )}
          <Text size="sm" c="dimmed" truncate>
            {slug}
          </Text>
          <Group gap={6} mt="xs">
            <Badge variant="light" radius="sm" tt="capitalize" size="sm">
              {role}
            </Badge>
            <Badge variant="default" radius="sm" tt="capitalize" size="sm">
              {plan}
            </Badge>
            {isLast && (
              <Badge
                variant="default"
                radius="sm"
                tt="none"
                size="sm"
                leftSection={<IconClock size={12} aria-hidden />}
              >
                {text.lastUsed}
              </Badge>
            )}
          </Group>
          {href === undefined && (
            <Text size="xs" c="dimmed" mt="xs">
              {text.notAvailableHere}
            </Text>
          )}
        </div>
      </Group>
    </Card>
  );
}
