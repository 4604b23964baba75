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
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

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
