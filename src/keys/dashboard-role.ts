// Roles of people in the dashboard. Each role may do everything that the previous one may.
//   reader   reports, live load, benchmarks: no user's id and no event
//   analyst  and events, people, arrivals
//   admin    and keys, deletions, access
export const dashboardRoles = ['reader', 'analyst', 'admin'] as const;
export type DashboardRole = (typeof dashboardRoles)[number];

export const mayAs = (role: DashboardRole, needed: DashboardRole): boolean =>
  dashboardRoles.indexOf(role) >= dashboardRoles.indexOf(needed);
