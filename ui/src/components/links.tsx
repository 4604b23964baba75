import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  NavLink,
  type NavLinkProps,
  UnstyledButton,
  type UnstyledButtonProps,
} from '@mantine/core';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ComponentType, Ref } from 'react';
import { useOrg } from '../app/session.ts';

type Native = { ref?: Ref<HTMLAnchorElement> } & Omit<
  AnchorHTMLAttributes<HTMLAnchorElement>,
  'style' | 'color' | 'href' | 'media' | 'type'
>;

/* Mantine's components as links of the router. */

export const LinkAnchor = createLink((props: Native & Omit<AnchorProps, 'href'>) => <Anchor {...props} />);

export const LinkButton = createLink((props: Native & Omit<ButtonProps, 'href'>) => (
  <Button component="a" {...props} />
));

export const LinkNav = createLink((props: Native & Omit<NavLinkProps, 'href'>) => <NavLink {...props} />);

/** A link around its children. */
export const LinkBox = createLink((props: Native & Omit<UnstyledButtonProps, 'href'>) => (
  <UnstyledButton component="a" {...props} />
));

/** A link to a page of the organization that the user is in: the link fills in its slug. */
const inOrg = <Component,>(Link: LinkComponent<Component>) => {
  const Any = Link as ComponentType<{ params?: object }>;
  const Filled = (props: { params?: object }) => (
    <Any {...props} params={{ org: useOrg().slug, ...props.params }} />
  );
  return Filled as unknown as LinkComponent<Component, '/o/$org'>;
};

export const OrgAnchor = inOrg(LinkAnchor);
export const OrgButton = inOrg(LinkButton);
export const OrgBox = inOrg(LinkBox);
