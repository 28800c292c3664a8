"""Weights that any program can make, and PyTorch's layers with them."""

import math

import torch

torch.set_default_dtype(torch.float64)


def sines(k, rows, columns):
    """Weights that any program can make: sin(k + 3i + 5j + 7ij)."""
    cell = lambda i, j: math.sin(k + 3 * i + 5 * j + 7 * i * j)
    return torch.tensor([[cell(i, j) for j in range(columns)] for i in range(rows)])


def fill_attention(attention, k):
    """Our matrices Q, K, V and O are number k to k + 3. PyTorch's are transposed."""
    q, k, v, o = (sines(k + i, 4, 4) for i in range(4))
    attention.in_proj_weight.copy_(torch.cat([q.T, k.T, v.T]))
    attention.out_proj.weight.copy_(o.T)
    attention.in_proj_bias.zero_(), attention.out_proj.bias.zero_()


def fill_network(layer, k):
    """Our W₁, b₁, W₂ and b₂ are number k to k + 3."""
    layer.linear1.weight.copy_(sines(k, 4, 16).T)
    layer.linear1.bias.copy_(sines(k + 1, 1, 16)[0])
    layer.linear2.weight.copy_(sines(k + 2, 16, 4).T)
    layer.linear2.bias.copy_(sines(k + 3, 1, 4)[0])


def fill_norm(norm, k):
    """Gains and biases are number k and k + 1."""
    norm.weight.copy_(sines(k, 1, 4)[0])
    norm.bias.copy_(sines(k + 1, 1, 4)[0])


def fill_encoder_layer(layer):
    fill_attention(layer.self_attn, 1), fill_network(layer, 5)
    fill_norm(layer.norm1, 27), fill_norm(layer.norm2, 29)


def fill_decoder_layer(layer):
    fill_attention(layer.self_attn, 11), fill_attention(layer.multihead_attn, 15)
    fill_network(layer, 19)
    fill_norm(layer.norm1, 31), fill_norm(layer.norm2, 33), fill_norm(layer.norm3, 35)
