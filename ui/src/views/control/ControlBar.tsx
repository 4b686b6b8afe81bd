export function ControlBar() {
  return <header />;
}
