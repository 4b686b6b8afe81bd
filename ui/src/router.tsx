/** The addresses of the views. */

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from "@tanstack/react-router";

import { readRunsPlace } from "./model/filters";
import { readPlace } from "./state/place";
import { NotFound } from "./views/shell/NotFound";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const runs = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: readRunsPlace,
  component: lazyRouteComponent(() => import("./views/runs/RunsPage"), "RunsPage"),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run",
  validateSearch: readPlace,
  component: lazyRouteComponent(() => import("./views/workspace/Workspace"), "Workspace"),
});

const transcript = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run/transcript",
  component: lazyRouteComponent(() => import("./views/story/Transcript"), "Transcript"),
});

export const router = createRouter({ routeTree: root.addChildren([runs, run, transcript]), defaultPreload: false });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
