export const limitedToProjects = 'Your access is limited to assigned projects.';
export const noneAssigned = 'Your access is limited to assigned projects. Ask an admin to assign you to one.';
