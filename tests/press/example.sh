#!/bin/sh
# Stands for an example: prints a line and draws a figure.
echo printed
echo drawn > "$FIGURES/a.svg"
