/** A part of the window that may fail without taking the rest with it. */

import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";

import { Empty } from "./Empty";

export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Empty title="This part of the window has failed">
        {error.message}
        <div>
          <Button mt={8} variant="default" onClick={() => this.setState({ error: null })}>
            Try again
          </Button>
        </div>
      </Empty>
    );
  }
}
