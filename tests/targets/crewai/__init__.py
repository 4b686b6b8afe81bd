"""Tests of the CrewAI adapter; they run where CrewAI is installed."""
