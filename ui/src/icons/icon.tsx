import type { ComponentPropsWithRef, FunctionComponent } from 'react';

export interface IconProps extends Omit<ComponentPropsWithRef<'svg'>, 'children' | 'stroke'> {
  /** Width and height in pixels. */
  size?: string | number;
  /** Width of the lines. */
  stroke?: string | number;
}

export type Icon = FunctionComponent<IconProps>;

/** Makes an outlined icon of Tabler. It renders what the component of `@tabler/icons-react` renders. */
export const icon =
  (name: string, ...paths: string[]): Icon =>
  ({ color = 'currentColor', size = 24, stroke = 2, className, ...props }) => (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the control around it has a name, or the caller adds `aria-label`
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke={color}
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`tabler-icon tabler-icon-${name}${className ? ` ${className}` : ''}`}
      {...props}
    >
      {paths.map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  );
