/** How everything looks: one accent, calm surfaces, colours only where they mean something. */

import { createTheme, type CSSVariablesResolver } from "@mantine/core";

const MONO = "ui-monospace, 'SF Mono', 'Cascadia Code', 'JetBrains Mono', Menlo, Consolas, monospace";

export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: { light: 8, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
  fontFamilyMonospace: MONO,
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  defaultRadius: "sm",
  cursorType: "pointer",
  components: {
    Tooltip: { defaultProps: { openDelay: 350, withArrow: true, multiline: true, maw: 340 } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Button: { defaultProps: { size: "compact-sm" } },
    Modal: { defaultProps: { centered: true } },
  },
});

/** Colours by what they mean; each is checked against both backgrounds. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--ot-surface": "#ffffff",
    "--ot-sunken": "#f6f7f8",
    "--ot-line": "#e3e6e8",
    "--ot-quiet": "#5c6770",
    "--ot-selected": "#e3f3f6",
    "--ot-hover": "#f1f4f5",
    "--ot-failed": "#c92a2a",
    "--ot-held": "#b35c00",
    "--ot-edited": "#8a5a00",
    "--ot-passed": "#2b7a3d",
    "--ot-message": "#0b7285",
    "--ot-agent": "#7048a8",
    "--ot-model": "#2f5fb3",
    "--ot-tool": "#a3600a",
    "--ot-step": "#1f6f54",
    "--ot-task": "#1f6f54",
    "--ot-flow": "#4f5b66",
    "--ot-note": "#6b7680",
    "--ot-edit": "#b0620a",
    "--ot-run": "#343a40",
    "--ot-span": "#6b7680",
    "--ot-detail": "#6b7680",
  },
  dark: {
    "--ot-surface": "#1b1e21",
    "--ot-sunken": "#15171a",
    "--ot-line": "#30353a",
    "--ot-quiet": "#9aa5ae",
    "--ot-selected": "#183a42",
    "--ot-hover": "#23282c",
    "--ot-failed": "#ff8787",
    "--ot-held": "#ffb45c",
    "--ot-edited": "#ffc46b",
    "--ot-passed": "#69db7c",
    "--ot-message": "#3bc9db",
    "--ot-agent": "#c0a3f0",
    "--ot-model": "#8bb4ff",
    "--ot-tool": "#f0b266",
    "--ot-step": "#63d3a6",
    "--ot-task": "#63d3a6",
    "--ot-flow": "#a9b4bd",
    "--ot-note": "#9aa5ae",
    "--ot-edit": "#ffb45c",
    "--ot-run": "#dee2e6",
    "--ot-span": "#9aa5ae",
    "--ot-detail": "#9aa5ae",
  },
});
