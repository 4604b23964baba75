import { Outlet } from '@tanstack/react-router';

export function Profile() {
  return <Outlet />;
}
